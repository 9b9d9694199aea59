/**
 * Weights rounded to few bits and kept in float32, so that rollouts are sampled by another policy
 * than the one that is trained. Who samples and who recomputes round by this code and get the same
 * bits. Pure: the JDK and the parameter layout alone, any thread.
 */
@NullMarked
package org.p3ostream.policy.precision;

import org.jspecify.annotations.NullMarked;
