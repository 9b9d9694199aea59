package org.p3ostream.rolloutproducer.generation;

import java.util.List;

/**
 * What a variant sampled.
 *
 * @param policyVersion version of the weights
 * @param responses in the order of the sampler's rows
 */
record SampledVariant(Variant variant, long policyVersion, List<ScoredResponse> responses) {}
