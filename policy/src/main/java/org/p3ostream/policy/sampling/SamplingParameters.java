package org.p3ostream.policy.sampling;

/**
 * How to sample.
 *
 * @param temperature divides the logits, > 0
 * @param topK keep the k most probable tokens; 0 keeps all
 * @param topP keep the smallest set whose probability reaches p, (0, 1]; 1 keeps all
 * @param maxResponseTokens upper bound of the response length, end-of-sequence included, ≥ 1
 */
public record SamplingParameters(
    double temperature, int topK, double topP, int maxResponseTokens) {}
