package org.p3ostream.learner.config;

import java.util.List;

/**
 * How responses are asked for.
 *
 * @param samplesPerGroup G, responses per prompt, ≥ 2 (advantages are relative to the group)
 * @param temperature divides the logits, > 0
 * @param topK keep the k most probable tokens; 0 keeps all
 * @param topP keep the smallest set reaching this probability, (0, 1]
 * @param minP keep tokens of at least minP times the largest probability, [0, 1); 0 keeps all
 * @param stopStrings texts that end a response, none of them empty
 * @param maxResponseTokens upper bound of the response length, end-of-sequence included
 */
public record SamplingConfig(
    int samplesPerGroup,
    double temperature,
    int topK,
    double topP,
    double minP,
    List<String> stopStrings,
    int maxResponseTokens) {
  public SamplingConfig {
    if (samplesPerGroup < 2) {
      throw new IllegalArgumentException(
          "sampling.samplesPerGroup: "
              + samplesPerGroup
              + " is below 2: advantages are relative to the group");
    }
    if (!(temperature > 0 && Double.isFinite(temperature))) {
      throw new IllegalArgumentException("sampling.temperature: " + temperature + " must be > 0");
    }
    if (topK < 0) {
      throw new IllegalArgumentException("sampling.topK: " + topK + " must be >= 0 (0 = off)");
    }
    if (!(topP > 0 && topP <= 1)) {
      throw new IllegalArgumentException("sampling.topP: " + topP + " must be in (0, 1]");
    }
    if (!(minP >= 0 && minP < 1)) {
      throw new IllegalArgumentException("sampling.minP: " + minP + " must be in [0, 1) (0 = off)");
    }
    stopStrings = List.copyOf(stopStrings);
    if (stopStrings.contains("")) {
      throw new IllegalArgumentException(
          "sampling.stopStrings["
              + stopStrings.indexOf("")
              + "]: '' must not be empty: it would end every response");
    }
    if (maxResponseTokens < 1) {
      throw new IllegalArgumentException(
          "sampling.maxResponseTokens: " + maxResponseTokens + " must be >= 1");
    }
  }

  /** Whether some tokens cannot be sampled. */
  public boolean truncates() {
    return topK > 0 || topP < 1 || minP > 0;
  }

  public static SamplingConfig defaults() {
    return new SamplingConfig(8, 1.0, 0, 1.0, 0.0, List.of(), 16);
  }
}
