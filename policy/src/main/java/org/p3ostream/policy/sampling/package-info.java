/** Sampling of responses with the log-prob of each token. Confined to the thread of its model. */
@NullMarked
package org.p3ostream.policy.sampling;

import org.jspecify.annotations.NullMarked;
