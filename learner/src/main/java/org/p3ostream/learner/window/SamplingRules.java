package org.p3ostream.learner.window;

import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Sampling;

/**
 * How a response may have been sampled, and what its log-probs must be. Log-probs are of one kind
 * in a run: a window of two kinds would have an ESS of neither.
 *
 * @param rawLogprobs whether log-probs must be of the model at temperature 1 without filters; else
 *     of the distribution sampled from
 * @param policyAtSamplingTemperature whether π_θ is taken at the temperature of the response, which
 *     raw log-probs are then not of unless it is 1
 * @param truncated what top-k, top-p and min-p mean for the group
 * @param recomputed whether the distribution of every response is computed again
 * @param versionsBack how much older than asked for a version may be that samples a response
 */
public record SamplingRules(
    boolean rawLogprobs,
    boolean policyAtSamplingTemperature,
    Truncated truncated,
    boolean recomputed,
    int versionsBack) {

  /** What becomes of groups sampled with top-k, top-p or min-p. */
  public enum Truncated {
    /** π_θ is taken over the tokens that the filters had left. */
    SAME_KEPT_SET,
    /** They are rejected. */
    REJECTED
  }

  /** Log-probs of the distribution sampled from; the kept tokens are shared. */
  public static final SamplingRules STANDARD =
      new SamplingRules(false, false, Truncated.SAME_KEPT_SET, false, 0);

  /** Whether training on a response takes the weights that sampled it. */
  boolean needsSnapshot(Sampling sampling) {
    return recomputed || (truncates(sampling) && !rawLogprobs);
  }

  /** The first rule that is broken; null if none is. */
  @Nullable Broken broken(Sampling sampling) {
    LogprobKind kind = sampling.getLogprobKind();
    if (rawLogprobs && kind != LogprobKind.RAW_MODEL) {
      return new Broken(
          RejectionReason.LOGPROB_KIND,
          "logprobKind",
          kind + ": with ratio.behaviorLogprob raw all log-probs must be RAW_MODEL");
    }
    if (!rawLogprobs && kind != LogprobKind.SAMPLING_DISTRIBUTION) {
      return new Broken(
          RejectionReason.LOGPROB_KIND,
          "logprobKind",
          kind
              + ": the log-probs must be of the distribution sampled from"
              + " (ratio.behaviorLogprob raw takes RAW_MODEL)");
    }
    Broken range = outOfRange(sampling);
    if (range != null) {
      return range;
    }
    if (rawLogprobs && policyAtSamplingTemperature && sampling.getTemperature() != 1) {
      return range(
          "temperature",
          sampling.getTemperature(),
          "must be 1: raw log-probs are of temperature 1, ratio.policyTemperature is sampling");
    }
    if (truncates(sampling) && truncated == Truncated.REJECTED) {
      return new Broken(
          RejectionReason.TRUNCATED_SAMPLING,
          "",
          "topK %d, topP %s, minP %s: ratio.truncatedSampling is reject"
              .formatted(sampling.getTopK(), sampling.getTopP(), sampling.getMinP()));
    }
    if (truncates(sampling) && !rawLogprobs && !sampling.getRenormalised()) {
      return new Broken(
          RejectionReason.NOT_RENORMALISED,
          "renormalised",
          "false with top-k, top-p or min-p: the kept tokens must sum to probability 1");
    }
    if (needsSnapshot(sampling) && sampling.getRepetitionPenalty() != 1) {
      return new Broken(
          RejectionReason.SAMPLING_PARAMETERS,
          "repetitionPenalty",
          sampling.getRepetitionPenalty()
              + ": the distribution is computed again, and that knows no penalty but 1");
    }
    if (needsSnapshot(sampling) && WeightPrecision.of(sampling.getWeightPrecision()).isEmpty()) {
      return new Broken(
          RejectionReason.SAMPLING_PARAMETERS,
          "weightPrecision",
          "'%s': the distribution is computed again, and that knows %s"
              .formatted(sampling.getWeightPrecision(), String.join(", ", WeightPrecision.ids())));
    }
    return null;
  }

  private static @Nullable Broken outOfRange(Sampling sampling) {
    double temperature = sampling.getTemperature();
    double topP = sampling.getTopP();
    double minP = sampling.getMinP();
    if (!(temperature > 0 && Double.isFinite(temperature))) {
      return range("temperature", temperature, "must be finite and > 0");
    }
    if (sampling.getTopK() < 0) {
      return range("topK", sampling.getTopK(), "must be >= 0");
    }
    if (!(topP > 0 && topP <= 1)) {
      return range("topP", topP, "must be in (0, 1]");
    }
    return minP >= 0 && minP < 1 ? null : range("minP", minP, "must be in [0, 1)");
  }

  private static Broken range(String field, Number value, String rule) {
    return new Broken(RejectionReason.SAMPLING_PARAMETERS, field, value + " " + rule);
  }

  private static boolean truncates(Sampling sampling) {
    return sampling.getTopK() > 0 || sampling.getTopP() < 1 || sampling.getMinP() > 0;
  }

  /**
   * A rule that is broken.
   *
   * @param field of the sampling; empty for all of it
   * @param cause value and rule
   */
  record Broken(RejectionReason reason, String field, String cause) {}
}
