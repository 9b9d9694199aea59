package org.p3ostream.rolloutproducer.generation;

import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.SamplingParameters;

/**
 * Responses of a group that are sampled alike, as one batch.
 *
 * @param responses rows of the batch
 * @param precision what weights are rounded to
 * @param seed all random numbers of the batch are a function of it
 */
record Variant(
    int responses, SamplingParameters parameters, WeightPrecision precision, long seed) {}
