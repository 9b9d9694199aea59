/**
 * Rewards of a response given a reference answer: pure functions, looked up by the name that a
 * prompt carries. Called by the generation thread; safe on any.
 */
@NullMarked
package org.p3ostream.rolloutproducer.reward;

import org.jspecify.annotations.NullMarked;
