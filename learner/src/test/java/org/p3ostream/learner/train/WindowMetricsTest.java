package org.p3ostream.learner.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.batch.MicroBatcher;
import org.p3ostream.learner.forward.BehaviorFigures;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.forward.TokenFigures;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.KlProxy;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.window.RandomWindows;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.model.ContextShards;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.ratio.RatioStatistics;

class WindowMetricsTest {

  /** Rewards 1, 0 and 3, 0; lengths 5, 3 and 5, 3; one of four responses truncated. */
  @Test
  void responsesAreSummedUp() {
    RolloutGroup first =
        RolloutGroups.withResponse(
            RolloutGroups.good(0, 0, 0, 0), 1, b -> b.setFinishReason(FinishReason.LENGTH));
    RolloutGroup second =
        RolloutGroup.newBuilder(
                RolloutGroups.withResponse(RolloutGroups.good(1, 0, 0, 0), 0, b -> b.setReward(3)))
            .setGeneratedAt(3_000)
            .build();
    Window window = RandomWindows.window(List.of(first, second));
    StepMetrics metrics = metrics(window, tokens(new double[] {0}, 0), new P3o(), 0, 5_000);
    assertThat(metrics.getRewardMean()).isEqualTo(1);
    assertThat(metrics.getRewardStd()).isCloseTo(Math.sqrt(6.0 / 4), within(1e-15));
    assertThat(metrics.getResponseLengthMean()).isEqualTo(4);
    assertThat(metrics.getTruncatedFraction()).isEqualTo(0.25);
    assertThat(metrics.getAgeMeanSeconds()).isEqualTo((4.0 + 2.0) / 2);
    assertThat(metrics.getAgeGenerationSeconds()).isEqualTo(0.005);
  }

  /** Rewards 1 and 0, lengths 5 and 3, none truncated, and an aborted response of reward 0. */
  @Test
  void abortedResponsesAreLeftOut() {
    RolloutGroup good = RolloutGroups.good(0, 0, 0, 0);
    RolloutGroup record =
        RolloutGroup.newBuilder(good)
            .setResponses(
                List.of(
                    RolloutGroups.abort(Response.newBuilder(good.getResponses().get(0))).build(),
                    good.getResponses().get(0),
                    good.getResponses().get(1)))
            .build();
    Window window = RandomWindows.window(List.of(record));
    StepMetrics metrics = metrics(window, tokens(new double[] {0}, 0), new P3o(), 0, 0);
    assertThat(metrics.getRewardMean()).isEqualTo(0.5);
    assertThat(metrics.getRewardStd()).isEqualTo(0.5);
    assertThat(metrics.getResponseLengthMean()).isEqualTo(4);
    assertThat(metrics.getTruncatedFraction()).isZero();
  }

  /** Twenty tokens: one sampled by version 1, nineteen by version 4; the policy is at 5. */
  @Test
  void stalenessIsCountedInVersionsPerToken() {
    long[] versions = new long[20];
    java.util.Arrays.fill(versions, 4);
    versions[7] = 1;
    StepMetrics metrics = metrics(window(), tokens(new double[20], versions), new P3o(), 5, 0);
    assertThat(metrics.getStalenessMin()).isEqualTo(1);
    assertThat(metrics.getStalenessMax()).isEqualTo(4);
    assertThat(metrics.getStalenessMean()).isCloseTo((19 + 4) / 20.0, within(1e-15));
    assertThat(metrics.getStalenessP50()).isEqualTo(1);
    assertThat(metrics.getStalenessP95()).isEqualTo(1);
    versions[8] = 2;
    assertThat(metrics(window(), tokens(new double[20], versions), new P3o(), 5, 0))
        .extracting(StepMetrics::getStalenessP95)
        .isEqualTo(3L);
  }

  @Test
  void medianOfAnEvenNumberOfTokensIsTheLowerOne() {
    long[] versions = {5, 4, 2, 1};
    StepMetrics metrics = metrics(window(), tokens(new double[4], versions), new P3o(), 5, 0);
    assertThat(metrics.getStalenessP50()).isEqualTo(1);
  }

  /** What a foreign producer writes there is not checked: it trains nothing. */
  @Test
  void timeOfGenerationThatIsNoNumberIsLeftOut() {
    Window one = windowSampledIn(Double.NaN, 40);
    assertThat(metrics(one, tokens(new double[4], 0), new P3o(), 0, 0).getAgeGenerationSeconds())
        .isEqualTo(0.04);
    Window none = windowSampledIn(Double.POSITIVE_INFINITY);
    assertThat(metrics(none, tokens(new double[4], 0), new P3o(), 0, 0).getAgeGenerationSeconds())
        .isNull();
  }

  private static Window windowSampledIn(double... millis) {
    List<RolloutGroup> groups = new ArrayList<>();
    for (double each : millis) {
      groups.add(
          RolloutGroup.newBuilder(RolloutGroups.good(groups.size(), 0, 0, 0))
              .setGenerationMillis(each)
              .build());
    }
    return RandomWindows.window(groups);
  }

  /** Ratios 2, 1, 1/2, 1/2. */
  @Test
  void ratiosAreRaw() {
    double ln2 = Math.log(2);
    double[] logRatios = {ln2, 0, -ln2, -ln2};
    StepMetrics metrics = metrics(window(), tokens(logRatios, 0), new P3o(), 0, 0);
    assertThat(metrics.getApproxKl()).isCloseTo(ln2 / 4, within(1e-6));
    assertThat(metrics.getRatioMean()).isCloseTo(1, within(1e-6));
    assertThat(metrics.getRatioStd()).isCloseTo(Math.sqrt(1.5 / 4), within(1e-6));
    assertThat(metrics.getRatioMax()).isCloseTo(2, within(1e-6));
    assertThat(metrics.getRatioAboveOneFraction()).isEqualTo(0.25);
    double klMean = (ln2 - 0.5 + 2 * (1 - ln2)) / 4;
    assertThat(metrics.getBehaviorKlProxyMean()).isCloseTo(klMean, within(1e-6));
    assertThat(metrics.getBehaviorKlProxyMax()).isCloseTo(KlProxy.value(-ln2), within(1e-6));
    assertThat(metrics.getValidTokens()).isEqualTo(4);
  }

  @Test
  void capBelongsToP3oAndClipToGrpo() {
    double[] logRatios = {1, 0.1, 0, -0.5};
    StepMetrics p3o = metrics(window(), tokens(logRatios, 0), new P3o(), 0, 0);
    assertThat(p3o.getAdaptiveCap()).isEqualTo(p3o.getNormalizedEss()).isLessThan(1);
    assertThat(p3o.getCapFraction()).isEqualTo(0.75); // ratio 1 is above every cap below 1
    assertThat(p3o.getClipFraction()).isNull();
    assertThat(p3o.getLoss())
        .isCloseTo(p3o.getPolicyLoss() + p3o.getAdaptiveKlLossMean(), within(1e-15));
    StepMetrics grpo = metrics(window(), tokens(logRatios, 0), new Grpo(0.2, 0.2), 0, 0);
    assertThat(grpo.getAdaptiveCap()).isNull();
    assertThat(grpo.getCapFraction()).isNull();
    assertThat(grpo.getClipFraction()).isEqualTo(0.25); // advantage 1: only the ratio above 1.2
    assertThat(grpo.getAdaptiveKlLossMean()).isZero();
  }

  @Test
  void ratioStatisticsByVersionMergeToThoseOfTheWindow() {
    WindowTokens tokens = tokens(new double[] {0.3, -1, 2, 0.5, 0}, new long[] {3, 1, 3, 2, 1});
    List<VersionRatioStatistics> byVersion = tokens.ratioStatisticsByVersion();
    assertThat(byVersion)
        .extracting(VersionRatioStatistics::getPolicyVersion)
        .containsExactly(1L, 2L, 3L);
    assertThat(byVersion)
        .extracting(VersionRatioStatistics::getTokenCount)
        .containsExactly(2L, 1L, 2L);
    RatioStatistics merged = RatioStatistics.EMPTY;
    for (VersionRatioStatistics part : byVersion) {
      merged =
          merged.merge(
              new RatioStatistics(
                  part.getLogSumRatio(), part.getLogSumSquaredRatio(), part.getTokenCount()));
    }
    assertThat(merged.normalizedEss())
        .isCloseTo(tokens.ratioStatistics().normalizedEss(), within(1e-14));
  }

  @Test
  void recipeIsRecorded() {
    StepMetrics p3o = metrics(window(), tokens(new double[] {0, 1}, 0), new P3o(), 0, 0);
    assertThat(p3o.getEssScope()).isEqualTo("step");
    assertThat(p3o.getMicroBatchEss()).isEmpty();
    assertThat(p3o.getKlMode()).isEqualTo("proxy");
    assertThat(p3o.getPolicyTemperature()).isEqualTo("model");
    assertThat(p3o.getBehaviorLogprob()).isEqualTo("sampling");
    assertThat(p3o.getBehaviorKlExactMean()).isNull();
    assertThat(p3o.getKeptSetMismatches()).isNull();
    assertThat(p3o.getBehaviorLogprobGaps()).isEmpty();
    StepMetrics grpo = metrics(window(), tokens(new double[] {0, 1}, 0), new Grpo(0.2, 0.2), 0, 0);
    assertThat(grpo.getEssScope()).isNull();
    assertThat(grpo.getKlMode()).isNull();
    P3o byRound = new P3o(EssScope.MICRO_BATCH, KlMode.PROXY_SAFE);
    StepMetrics rounds = metrics(window(), tokens(new double[] {0, 1}, 0), byRound, 0, 0);
    assertThat(rounds.getEssScope()).isEqualTo("micro-batch");
    assertThat(rounds.getKlMode()).isEqualTo("proxy-safe");
    assertThat(rounds.getMicroBatchEss()).hasSize(1);
  }

  /** Two micro-batches, of which the second has no filtered response. */
  @Test
  void whatWasComputedFromTheBehaviorIsSummedUpOverTheWindow() {
    MicroBatch batch = new MicroBatcher(1_000, 0).cut(window()).get(0);
    int half = batch.validTokens();
    WindowTokens tokens = new WindowTokens(2 * half, ContextShards.NONE);
    double[] zeros = new double[half];
    double[] recorded = batch.behaviorLogprobs.clone();
    recorded[0] -= 0.5;
    tokens.append(
        0,
        0,
        batch,
        new TokenFigures(
            zeros,
            filled(half, 0.25),
            filled(half, 2),
            filled(half, 0),
            new BehaviorFigures(recorded, 3L)));
    tokens.append(
        1,
        0,
        batch,
        new TokenFigures(
            zeros,
            filled(half, 0.75),
            filled(half, 1),
            filled(half, -Math.log(2)),
            new BehaviorFigures(batch.behaviorLogprobs, null)));
    StepRecipe recipe =
        new StepRecipe(
            new P3o(EssScope.STEP, KlMode.EXACT),
            new Regularization(0.1, 0.01),
            true,
            true,
            true,
            StepRecipe.of(new P3o()).weights());
    StepMetrics metrics = metrics(window(), tokens, recipe, 0, 0);
    assertThat(metrics.getKlMode()).isEqualTo("exact");
    assertThat(metrics.getPolicyTemperature()).isEqualTo("sampling");
    assertThat(metrics.getBehaviorLogprob()).isEqualTo("raw");
    assertThat(metrics.getBehaviorKlExactMean()).isCloseTo(0.5, within(1e-15));
    assertThat(metrics.getBehaviorKlExactMax()).isEqualTo(0.75);
    assertThat(metrics.getEntropyMean()).isCloseTo(1.5, within(1e-15));
    double k3 = Math.log(2) + 0.5 - 1; // log π_θ 0, log π_ref −ln 2
    assertThat(metrics.getReferenceKlMean()).isCloseTo(k3 / 2, within(1e-15));
    assertThat(metrics.getAdaptiveKlLossMean())
        .isCloseTo((1 - metrics.getNormalizedEss()) * 0.5, within(1e-12));
    assertThat(metrics.getLoss() - metrics.getPolicyLoss() - metrics.getAdaptiveKlLossMean())
        .isCloseTo(0.1 * k3 / 2 - 0.01 * 1.5, within(1e-12));
    assertThat(metrics.getKeptSetMismatches()).isEqualTo(3);
    assertThat(metrics.getBehaviorLogprobGaps())
        .singleElement()
        .satisfies(
            gap -> {
              assertThat(gap.getProducerId()).isEqualTo("producer-1");
              assertThat(gap.getTokens()).isEqualTo(2L * half);
              assertThat(gap.getMax()).isCloseTo(0.5, within(1e-6));
            });
  }

  private static double[] filled(int count, double value) {
    double[] values = new double[count];
    java.util.Arrays.fill(values, value);
    return values;
  }

  private static Window window() {
    return RandomWindows.window(List.of(RolloutGroups.good(0, 0, 0, 0)));
  }

  private static WindowTokens tokens(double[] logRatios, long version) {
    long[] versions = new long[logRatios.length];
    java.util.Arrays.fill(versions, version);
    return tokens(logRatios, versions);
  }

  /** Policy log-prob −2, advantage 1, in two micro-batches. */
  private static WindowTokens tokens(double[] logRatios, long[] versions) {
    WindowTokens tokens = new WindowTokens(logRatios.length, ContextShards.NONE);
    int half = logRatios.length / 2;
    append(0, tokens, logRatios, versions, 0, half);
    append(1, tokens, logRatios, versions, half, logRatios.length);
    return tokens;
  }

  private static void append(
      int round, WindowTokens tokens, double[] logRatios, long[] versions, int from, int to) {
    int count = to - from;
    double[] logprobs = new double[count];
    double[] behavior = new double[count];
    double[] advantages = new double[count];
    long[] batchVersions = new long[count];
    for (int i = 0; i < count; i++) {
      logprobs[i] = -2;
      behavior[i] = -2 - logRatios[from + i];
      advantages[i] = 1;
      batchVersions[i] = versions[from + i];
    }
    tokens.append(
        round,
        0,
        new MicroBatch(
            1,
            count,
            List.of(),
            List.of(),
            new long[count],
            new long[count],
            new long[count],
            new int[count],
            behavior,
            advantages,
            batchVersions),
        new TokenFigures(logprobs, null, null, null, BehaviorFigures.NONE));
  }

  private static StepMetrics metrics(
      Window window, WindowTokens tokens, Objective objective, long policyVersion, long nowMs) {
    return metrics(window, tokens, StepRecipe.of(objective), policyVersion, nowMs);
  }

  private static StepMetrics metrics(
      Window window, WindowTokens tokens, StepRecipe recipe, long policyVersion, long nowMs) {
    RatioStatistics ratios = tokens.ratioStatistics();
    return WindowMetrics.of(
        window,
        new WindowPass.Result(
            tokens,
            List.of(new StepContext(ratios.normalizedEss(), tokens.count())),
            0,
            2,
            0,
            0,
            0),
        recipe,
        policyVersion,
        0.5,
        1e-3,
        nowMs);
  }
}
