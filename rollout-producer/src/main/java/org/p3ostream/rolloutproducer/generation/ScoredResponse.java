package org.p3ostream.rolloutproducer.generation;

import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.rolloutproducer.reward.Score;

/**
 * A sampled response and its reward.
 *
 * @param score {@link Score#NONE} if it was aborted
 */
record ScoredResponse(SampledResponse response, Score score) {}
