package org.p3ostream.learner.config;

import org.p3ostream.learner.config.RatioConfig.BehaviorLogprob;
import org.p3ostream.learner.config.RatioConfig.PolicyTemperature;
import org.p3ostream.learner.config.RatioConfig.TruncatedSampling;
import org.p3ostream.learner.objective.EssScope;

/**
 * Combinations of settings that would train something else than they say. Some of the keys have one
 * value only: they exist so that whoever brings them from another system is told why.
 */
public final class ObjectiveGates {

  private ObjectiveGates() {}

  /**
   * @throws IllegalArgumentException naming path, value and reason of the first combination that
   *     must not be
   */
  public static void require(
      ModelSourceConfig model,
      SamplingConfig sampling,
      WindowConfig window,
      AlgorithmConfig algorithm,
      RatioConfig ratio,
      LearnerConfig learner) {
    requireNoCorrection(algorithm);
    requireNoCritic(algorithm);
    requireTokenMean(algorithm);
    require(
        model.dropout() == 0,
        "model.dropout: "
            + model.dropout()
            + " must be 0: pre-pass and update must see the same log-probs, and dropout would draw"
            + " another network for each");
    requireTrainedBeforeGivenUp(algorithm, window);
    requireOneExecution(algorithm, learner);
    requireOneTemperature(sampling, ratio);
    require(
        ratio.truncatedSampling() != TruncatedSampling.REJECT || !sampling.truncates(),
        "ratio.truncatedSampling: reject cannot stand beside sampling.topK %d, topP %s, minP %s:"
                .formatted(sampling.topK(), sampling.topP(), sampling.minP())
            + " every group asked for would be rejected");
    require(
        algorithm.overlongBuffer() <= sampling.maxResponseTokens(),
        "algorithm.overlongBuffer: "
            + algorithm.overlongBuffer()
            + " must be <= sampling.maxResponseTokens ("
            + sampling.maxResponseTokens()
            + "): it is the end of a response of that length");
  }

  private static void requireTrainedBeforeGivenUp(AlgorithmConfig algorithm, WindowConfig window) {
    boolean mayBeStale = window.maxStaleness() != null;
    int most = window.maxTopUps() + (mayBeStale ? 0 : 1);
    require(
        !algorithm.dropsZeroVariance() || algorithm.dynamicSamplingAttempts() <= most,
        "algorithm.dynamicSamplingAttempts: %d must be <= window.maxTopUps%s (%d): a group is given"
                .formatted(
                    algorithm.dynamicSamplingAttempts(),
                    mayBeStale ? ", one of which is for window.maxStaleness" : " + 1",
                    most)
            + " up after that, and must be trained before");
  }

  private static void requireNoCorrection(AlgorithmConfig algorithm) {
    require(
        algorithm.correction() == Correction.NONE,
        "algorithm.correction: "
            + Spelling.of(algorithm.correction())
            + (algorithm.name() == Algorithm.P3O
                ? " cannot stand beside p3o: min(ρ, ESS) corrects the mismatch of π_θ and π_b"
                    + " already, and a second factor would correct it twice"
                : " must be none: truncated importance sampling is algorithm.name: tis, a"
                    + " decoupled correction is algorithm.name: decoupled-ppo"));
  }

  private static void requireNoCritic(AlgorithmConfig algorithm) {
    require(
        !algorithm.critic(),
        "algorithm.critic: true "
            + (algorithm.name() == Algorithm.P3O
                ? "cannot stand beside p3o: a value function would be fitted to data of other"
                    + " policies without the cap that keeps the policy's own loss safe"
                : "must be false: advantages are relative to the group, no objective here has a"
                    + " value function"));
  }

  private static void requireTokenMean(AlgorithmConfig algorithm) {
    require(
        algorithm.normalization() == Normalization.TOKEN_MEAN,
        "algorithm.normalization: "
            + Spelling.of(algorithm.normalization())
            + (algorithm.name() == Algorithm.P3O
                ? " cannot stand beside p3o: the ESS counts every token of the step alike, a mean"
                    + " per response would weigh those of short responses more"
                : " must be token-mean: every loss is divided by the valid tokens of the whole"
                    + " step"));
  }

  private static void requireOneExecution(AlgorithmConfig algorithm, LearnerConfig learner) {
    require(
        algorithm.essScope() != EssScope.MICRO_BATCH
            || learner.retainedGraphTokens() >= learner.microBatchTokens(),
        "algorithm.essScope: micro-batch cannot stand beside learner.retainedGraphTokens ("
            + learner.retainedGraphTokens()
            + ") below learner.microBatchTokens ("
            + learner.microBatchTokens()
            + "): the ESS of a micro-batch is measured and back-propagated from one graph, which must"
            + " fit; a second execution would measure it twice");
  }

  private static void requireOneTemperature(SamplingConfig sampling, RatioConfig ratio) {
    require(
        ratio.behaviorLogprob() != BehaviorLogprob.RAW
            || ratio.policyTemperature() != PolicyTemperature.SAMPLING
            || sampling.temperature() == 1,
        "ratio.behaviorLogprob: raw cannot stand beside ratio.policyTemperature: sampling at"
            + " sampling.temperature "
            + sampling.temperature()
            + ": raw log-probs are of temperature 1, and the ratio would compare two temperatures");
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
