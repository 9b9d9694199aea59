/**
 * What the learner can be told: nested values with their defaults and their rules. Built by the
 * command line; no I/O.
 */
@NullMarked
package org.p3ostream.learner.config;

import org.jspecify.annotations.NullMarked;
