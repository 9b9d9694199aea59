package org.p3ostream.rolloutproducer.generation;

import java.util.List;

/**
 * What a variant sampled.
 *
 * @param policyVersions versions of the weights that were exchanged while it sampled, in order: one
 *     more than the longest response has {@linkplain
 *     org.p3ostream.policy.sampling.SampledResponse#exchanges() exchanges}
 * @param responses in the order of the sampler's rows
 */
record SampledVariant(Variant variant, List<Long> policyVersions, List<ScoredResponse> responses) {}
