package org.p3ostream.learner.train;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.IntToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.p3ostream.learner.forward.ForwardSpec;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlProxy;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.TrainingResponse;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.ratio.RatioStatistics;

/**
 * Training metrics of a window, from the figures of the pre-pass and the float64 objective. Ratios
 * are raw: before any cap or clip.
 */
final class WindowMetrics {

  private WindowMetrics() {}

  static StepMetrics of(
      Window window,
      WindowPass.Result pass,
      StepRecipe recipe,
      long policyVersion,
      double gradNorm,
      double learningRate,
      long nowMs) {
    WindowTokens tokens = pass.tokens();
    RatioStatistics ratios = tokens.ratioStatistics();
    WindowLosses losses = WindowLosses.of(recipe, tokens, pass.contexts());
    double limitedFraction = (double) losses.limitedTokens() / tokens.count();
    boolean capped = recipe.objective() instanceof P3o;
    StepMetrics.Builder metrics =
        StepMetrics.newBuilder()
            .setValidTokens(tokens.count())
            .setLoss(losses.loss())
            .setPolicyLoss(losses.policyLoss())
            .setAdaptiveKlLossMean(losses.klLoss())
            .setNormalizedEss(ratios.normalizedEss())
            .setAdaptiveCap(capped ? ratios.normalizedEss() : null)
            .setCapFraction(capped ? limitedFraction : null)
            .setClipFraction(capped ? null : limitedFraction)
            .setRatioMean(ratios.meanRatio())
            .setRatioStd(ratios.stdRatio())
            .setGradNorm(gradNorm)
            .setLearningRate(learningRate)
            .setMicroBatches(pass.microBatches());
    setRatios(metrics, tokens);
    setRecipe(metrics, recipe, pass.contexts());
    setDistributions(metrics, tokens, recipe);
    setStaleness(metrics, tokens, policyVersion);
    setResponses(metrics, window);
    setAge(metrics, window, nowMs);
    return metrics.build();
  }

  private static void setAge(StepMetrics.Builder metrics, Window window, long nowMs) {
    OptionalDouble generation =
        window.groups().stream()
            .mapToDouble(group -> group.generationMillis() / 1000)
            .filter(Double::isFinite)
            .average();
    metrics
        .setAgeMeanSeconds(
            window.groups().stream()
                .mapToDouble(group -> (nowMs - group.generatedAtMs()) / 1000.0)
                .average()
                .orElse(0))
        .setAgeGenerationSeconds(generation.isPresent() ? generation.getAsDouble() : null);
  }

  private static void setRatios(StepMetrics.Builder metrics, WindowTokens tokens) {
    double maxLogRatio = Double.NEGATIVE_INFINITY;
    double k1Sum = 0;
    double klSum = 0;
    double klMax = 0;
    long aboveOne = 0;
    for (int n = 0; n < tokens.count(); n++) {
      double logRatio = tokens.logRatio(n);
      double kl = KlProxy.value(logRatio);
      maxLogRatio = Math.max(maxLogRatio, logRatio);
      k1Sum -= logRatio;
      klSum += kl;
      klMax = Math.max(klMax, kl);
      aboveOne += logRatio > 0 ? 1 : 0;
    }
    metrics
        .setRatioMax(Math.exp(maxLogRatio))
        .setApproxKl(k1Sum / tokens.count())
        .setBehaviorKlProxyMean(klSum / tokens.count())
        .setBehaviorKlProxyMax(klMax)
        .setRatioAboveOneFraction((double) aboveOne / tokens.count());
  }

  private static void setRecipe(
      StepMetrics.Builder metrics, StepRecipe recipe, List<StepContext> contexts) {
    metrics
        .setPolicyTemperature(recipe.samplingTemperature() ? "sampling" : "model")
        .setBehaviorLogprob(recipe.rawLogprobs() ? "raw" : "sampling");
    if (recipe.objective() instanceof P3o p3o) {
      metrics.setEssScope(p3o.essScope().id()).setKlMode(p3o.klMode().id());
      if (p3o.essScope() == EssScope.MICRO_BATCH) {
        metrics.setMicroBatchEss(contexts.stream().map(StepContext::normalizedEss).toList());
      }
    }
  }

  private static void setDistributions(
      StepMetrics.Builder metrics, WindowTokens tokens, StepRecipe recipe) {
    ForwardSpec spec = ForwardSpec.of(recipe);
    TokenBatch batch = tokens.asBatch();
    if (spec.exactKl()) {
      metrics
          .setBehaviorKlExactMean(each(batch, batch::exactKl).average().orElseThrow())
          .setBehaviorKlExactMax(each(batch, batch::exactKl).max().orElseThrow());
    }
    if (spec.entropy()) {
      metrics.setEntropyMean(each(batch, batch::entropy).average().orElseThrow());
    }
    if (spec.referenceLogprobs()) {
      metrics.setReferenceKlMean(
          each(batch, n -> KlProxy.value(batch.logprob(n) - batch.referenceLogprob(n)))
              .average()
              .orElseThrow());
    }
    metrics
        .setKeptSetMismatches(tokens.keptSetMismatches())
        .setBehaviorLogprobGaps(tokens.behaviorLogprobGaps());
  }

  private static DoubleStream each(TokenBatch batch, IntToDoubleFunction figure) { // [N]
    return IntStream.range(0, batch.length()).mapToDouble(figure);
  }

  private static void setStaleness(
      StepMetrics.Builder metrics, WindowTokens tokens, long policyVersion) {
    long[] staleness = new long[tokens.count()]; // versions
    for (int n = 0; n < staleness.length; n++) {
      staleness[n] = policyVersion - tokens.policyVersion(n);
    }
    Arrays.sort(staleness);
    int p95 = (int) Math.ceil(0.95 * staleness.length) - 1;
    metrics
        .setStalenessMin(staleness[0])
        .setStalenessMean(Arrays.stream(staleness).average().orElseThrow())
        .setStalenessP50(staleness[(staleness.length - 1) / 2])
        .setStalenessP95(staleness[p95])
        .setStalenessMax(staleness[staleness.length - 1]);
  }

  private static void setResponses(StepMetrics.Builder metrics, Window window) {
    double[] rewards =
        window.groups().stream().flatMapToDouble(g -> DoubleStream.of(g.rewards())).toArray();
    double mean = Arrays.stream(rewards).average().orElseThrow();
    double variance = Arrays.stream(rewards).map(r -> (r - mean) * (r - mean)).sum();
    metrics
        .setRewardMean(mean)
        .setRewardStd(Math.sqrt(variance / rewards.length))
        .setResponseLengthMean(
            responses(window).mapToInt(TrainingResponse::length).average().orElseThrow())
        .setTruncatedFraction(
            responses(window).mapToInt(r -> r.truncated() ? 1 : 0).average().orElseThrow());
  }

  private static java.util.stream.Stream<TrainingResponse> responses(Window window) {
    return window.groups().stream().map(TrainingGroup::responses).flatMap(List::stream);
  }
}
