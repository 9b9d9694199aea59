package org.p3ostream.policy.sampling;

import java.util.Map;
import org.p3ostream.policy.torch.ScriptResource;

/**
 * The distribution that {@link Sampler} draws from, as script text, for those who recompute it: the
 * same text gives the same kept tokens and log-probs for the same logits.
 */
public final class SamplingDistribution {

  private SamplingDistribution() {}

  /**
   * The method {@code distribution(logits [R, V], temperature: float, top_k: int, top_p: float,
   * min_p: float)}: float64 log-probs [R, V], -inf for tokens filtered out.
   */
  public static String script() {
    return ScriptResource.of(SamplingDistribution.class, "distribution.torchscript", Map.of());
  }
}
