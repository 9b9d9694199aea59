package org.p3ostream.deploy.report;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepMetrics;

/**
 * The columns of {@code steps.csv}, in their order: name with its unit, meaning, value. Symbols: ρ
 * = exp(log π_θ − log π_b) per token, before capping; N = valid tokens of the window.
 */
enum StepColumn {
  STEP("step", "window that was passed, counted from 0", StepRow::step),
  KIND("kind", "STEP trained; NO_OP passed a window without a valid token", StepRow::kind),
  POLICY_VERSION("policyVersion", "policy version after the step", StepRow::policyVersion),
  GROUPS("groups", "groups of the window", StepRow::groups),
  COMMITTED_AT(
      "committedAtEpochMillis", "when the event was prepared, ms since 1970", StepRow::committedAt),
  STEP_MILLIS("stepMillis", "time since the window before, ms", StepRow::stepMillis),
  REWARD_MEAN("rewardMean", "mean reward over responses", of(StepMetrics::getRewardMean)),
  REWARD_STD(
      "rewardStd", "population standard deviation over responses", of(StepMetrics::getRewardStd)),
  NORMALIZED_ESS(
      "normalizedEss",
      "effective sample size (Σρ)² / (N (Σρ² + 1e-8)), 0 to 1",
      of(StepMetrics::getNormalizedEss)),
  ADAPTIVE_CAP(
      "adaptiveCap",
      "cap applied to ρ; empty for algorithms without one",
      of(StepMetrics::getAdaptiveCap)),
  RATIO_MEAN("ratioMean", "mean ρ over valid tokens", of(StepMetrics::getRatioMean)),
  RATIO_STD("ratioStd", "population standard deviation of ρ", of(StepMetrics::getRatioStd)),
  RATIO_MAX("ratioMax", "largest ρ", of(StepMetrics::getRatioMax)),
  CAP_FRACTION(
      "capFraction",
      "fraction of tokens with ρ above the cap; empty without a cap",
      of(StepMetrics::getCapFraction)),
  RATIO_ABOVE_ONE_FRACTION(
      "ratioAboveOneFraction",
      "fraction of tokens with ρ above 1",
      of(StepMetrics::getRatioAboveOneFraction)),
  CLIP_FRACTION(
      "clipFraction",
      "fraction of tokens whose gradient a clip removed; empty without a clip",
      of(StepMetrics::getClipFraction)),
  KL_MEAN(
      "behaviorKlProxyMeanNats",
      "mean sampled k3 estimate of KL(π_θ ‖ π_b) per token, nats",
      of(StepMetrics::getBehaviorKlProxyMean)),
  KL_MAX(
      "behaviorKlProxyMaxNats",
      "largest sampled k3 value, nats",
      of(StepMetrics::getBehaviorKlProxyMax)),
  KL_EXACT_MEAN(
      "behaviorKlExactMeanNats",
      "mean KL(π_θ ‖ π_b) per token over the whole vocabulary, nats; empty unless klMode is exact",
      of(StepMetrics::getBehaviorKlExactMean)),
  KEPT_SET_MISMATCHES(
      "keptSetMismatches",
      "tokens that the recomputed filters would have removed; empty without top-k, top-p, min-p",
      of(StepMetrics::getKeptSetMismatches)),
  ENTROPY_MEAN(
      "entropyMeanNats",
      "mean entropy of π_θ per token, nats; empty without an entropy term",
      of(StepMetrics::getEntropyMean)),
  REFERENCE_KL_MEAN(
      "referenceKlMeanNats",
      "mean sampled k3 estimate of KL(π_θ ‖ π_ref) per token, nats; empty without a reference KL",
      of(StepMetrics::getReferenceKlMean)),
  LOSS("loss", "loss that was back-propagated", of(StepMetrics::getLoss)),
  POLICY_LOSS("policyLoss", "policy part of the loss", of(StepMetrics::getPolicyLoss)),
  KL_LOSS(
      "adaptiveKlLossMean",
      "KL part of the loss, (1 − ESS) times the mean KL",
      of(StepMetrics::getAdaptiveKlLossMean)),
  GRAD_NORM(
      "gradNorm", "L2 norm of the whole gradient before clipping", of(StepMetrics::getGradNorm)),
  LEARNING_RATE("learningRate", "learning rate of the step", of(StepMetrics::getLearningRate)),
  STALENESS_MIN(
      "stalenessMinVersions",
      "smallest token staleness, policy versions",
      of(StepMetrics::getStalenessMin)),
  STALENESS_MEAN(
      "stalenessMeanVersions",
      "mean token staleness, policy versions",
      of(StepMetrics::getStalenessMean)),
  STALENESS_P50(
      "stalenessP50Versions",
      "median of token staleness, policy versions",
      of(StepMetrics::getStalenessP50)),
  STALENESS_P95(
      "stalenessP95Versions",
      "95th percentile of token staleness, policy versions",
      of(StepMetrics::getStalenessP95)),
  STALENESS_MAX(
      "stalenessMaxVersions",
      "largest token staleness, policy versions",
      of(StepMetrics::getStalenessMax)),
  AGE_MEAN(
      "ageMeanSeconds",
      "mean over groups of training time minus end of generation, s",
      of(StepMetrics::getAgeMeanSeconds)),
  AGE_GENERATION(
      "ageGenerationSeconds",
      "mean over groups of the time spent sampling the group, s",
      of(StepMetrics::getAgeGenerationSeconds)),
  AGE_QUEUE(
      "ageQueueSeconds",
      "ageMeanSeconds less ageHoldBackSeconds; empty in a fork",
      of(StepMetrics::getAgeQueueSeconds)),
  AGE_HOLD_BACK(
      "ageHoldBackSeconds",
      "time for which the window was complete and waited for those behind it, s; empty in a fork",
      of(StepMetrics::getAgeHoldBackSeconds)),
  LAG_WINDOWS(
      "lagWindows",
      "complete windows behind the one trained; empty in a fork",
      of(StepMetrics::getLagWindows)),
  VALID_TOKENS("validTokens", "N, tokens in the loss", of(StepMetrics::getValidTokens)),
  TOKENS_PER_SECOND(
      "trainedTokensPerSecond",
      "validTokens over stepMillis, tokens/s",
      StepRow::trainedTokensPerSecond),
  RESPONSE_LENGTH(
      "responseLengthMeanTokens",
      "mean response length, tokens",
      of(StepMetrics::getResponseLengthMean)),
  TRUNCATED_FRACTION(
      "truncatedFraction",
      "fraction of responses ended by the length limit",
      of(StepMetrics::getTruncatedFraction)),
  MICRO_BATCHES(
      "microBatches",
      "micro-batches that the window was cut into",
      of(StepMetrics::getMicroBatches)),
  WAIT("waitMillis", "waiting for the window, ms", phase(PhaseDurations::getWaitMillis)),
  PRE_PASS(
      "prePassMillis",
      "forward pass and ratio statistics over the window, ms",
      phase(PhaseDurations::getPrePassMillis)),
  UPDATE("updateMillis", "loss, backward, optimizer, ms", phase(PhaseDurations::getUpdateMillis)),
  ENCODE("encodeMillis", "snapshot and prompts, ms", phase(PhaseDurations::getEncodeMillis)),
  PREVIOUS_COMMIT(
      "previousCommitMillis",
      "transaction of the event before, ms",
      phase(PhaseDurations::getPreviousCommitMillis)),
  PREVIOUS_CHECKPOINT(
      "previousCheckpointMillis",
      "checkpoint after the event before, ms; 0 if none",
      phase(PhaseDurations::getPreviousCheckpointMillis)),
  WEIGHTS_SHA256("weightsSha256", "SHA-256 of the weights after the step", StepRow::weightsSha256);

  private final String title;
  private final String meaning;

  @SuppressWarnings("ImmutableEnumChecker") // method references without state
  private final Function<StepRow, @Nullable Object> reading;

  StepColumn(String title, String meaning, Function<StepRow, @Nullable Object> reading) {
    this.title = title;
    this.meaning = meaning;
    this.reading = reading;
  }

  /** Name in the header row. */
  String title() {
    return title;
  }

  /** What it holds, with unit and range. */
  String meaning() {
    return meaning;
  }

  /** Value in {@code row}: a number or a text; null if there is none. */
  @Nullable Object of(StepRow row) {
    return reading.apply(row);
  }

  /** Value in {@code row}; null if there is none or it is not finite. */
  @Nullable Double finite(StepRow row) {
    return of(row) instanceof Number number && Double.isFinite(number.doubleValue())
        ? number.doubleValue()
        : null;
  }

  private static Function<StepRow, @Nullable Object> of(
      Function<StepMetrics, @Nullable Object> metric) {
    return row -> row.metrics() == null ? null : metric.apply(row.metrics());
  }

  private static Function<StepRow, @Nullable Object> phase(
      Function<PhaseDurations, Object> duration) {
    return row -> duration.apply(row.phases());
  }
}
