package org.p3ostream.deploy.loss;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.objective.DecoupledPpo;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlProxy;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenLosses;
import org.p3ostream.learner.objective.TruncatedImportanceSampling;
import org.p3ostream.schemas.ratio.RatioStatistics;

/**
 * Takes the tokens of a step through an objective as the learner does: the statistics of all
 * micro-batches first, then the loss of each with what they froze.
 */
final class LossEvaluation {
  private final Objective objective;
  private final List<TokenColumns> microBatches;
  private final List<RatioStatistics> statistics; // one per micro-batch
  private final RatioStatistics whole;

  private LossEvaluation(Objective objective, List<TokenColumns> microBatches) {
    this.objective = objective;
    this.microBatches = microBatches;
    this.statistics =
        microBatches.stream()
            .map(TokenColumns::batch)
            .map(batch -> RatioStatistics.of(batch.logRatios(), batch.validMask()))
            .toList();
    this.whole = statistics.stream().reduce(RatioStatistics.EMPTY, RatioStatistics::merge);
  }

  static LossReport of(LossInput input, Objective objective, LossEngine engine) {
    LossEvaluation evaluation = new LossEvaluation(objective, input.microBatches());
    List<@Nullable Double> ess = evaluation.ess();
    return new LossReport(
        objective.id(),
        evaluation.cap(),
        evaluation.losses(input.tokens(), ess, engine),
        evaluation.ratios(ess));
  }

  private boolean isPerMicroBatch() {
    return objective instanceof P3o p3o && p3o.essScope() == EssScope.MICRO_BATCH;
  }

  private List<@Nullable Double> ess() {
    List<@Nullable Double> ess = new ArrayList<>();
    for (RatioStatistics own : statistics) {
      RatioStatistics measured = isPerMicroBatch() ? own : whole;
      ess.add(measured.tokenCount() == 0 ? null : measured.normalizedEss());
    }
    return ess;
  }

  private List<RatioStatistics> measured() {
    return (isPerMicroBatch() ? statistics : List.of(whole))
        .stream().filter(own -> own.tokenCount() > 0).toList();
  }

  private LossReport.Cap cap() {
    if (objective instanceof P3o && isPerMicroBatch()) {
      return new LossReport.Cap(null, true);
    }
    if (objective instanceof P3o) {
      return new LossReport.Cap(whole.tokenCount() == 0 ? null : whole.normalizedEss(), false);
    }
    if (objective instanceof TruncatedImportanceSampling truncated) {
      return new LossReport.Cap(truncated.cap(), false);
    }
    return new LossReport.Cap(
        objective instanceof DecoupledPpo decoupled ? decoupled.behaviorCap() : null, false);
  }

  private LossReport.Losses losses(int tokens, List<@Nullable Double> ess, LossEngine engine) {
    double[] tokenLoss = new double[tokens];
    double[] gradient = new double[tokens];
    double loss = 0;
    long limited = 0;
    int start = 0;
    for (int m = 0; m < microBatches.size(); m++) {
      TokenColumns columns = microBatches.get(m);
      Double measured = ess.get(m);
      if (measured != null && statistics.get(m).tokenCount() > 0) {
        StepContext context = new StepContext(measured, whole.tokenCount());
        TokenLosses losses = engine.evaluate(columns.batch(), context);
        System.arraycopy(losses.tokenLoss(), 0, tokenLoss, start, columns.length());
        System.arraycopy(losses.gradient(), 0, gradient, start, columns.length());
        loss += losses.loss();
        limited += losses.limitedTokens();
      }
      start += columns.length();
    }
    boolean isCapped = objective instanceof P3o || objective instanceof TruncatedImportanceSampling;
    Double fraction = whole.tokenCount() == 0 ? null : (double) limited / whole.tokenCount();
    return new LossReport.Losses(
        whole.tokenCount() == 0 ? null : loss,
        tokenLoss,
        gradient,
        isCapped ? fraction : null,
        isCapped ? null : fraction);
  }

  private LossReport.Ratios ratios(List<@Nullable Double> ess) {
    if (whole.tokenCount() == 0) {
      return new LossReport.Ratios(List.of(), ess, 0, null, null, null, null);
    }
    double maxLogRatio = Double.NEGATIVE_INFINITY;
    double klSum = 0;
    for (TokenColumns columns : microBatches) {
      for (int t = 0; t < columns.length(); t++) {
        if (columns.isValid(t)) {
          maxLogRatio = Math.max(maxLogRatio, columns.logRatio(t));
          klSum += KlProxy.value(columns.logRatio(t));
        }
      }
    }
    return new LossReport.Ratios(
        measured(),
        ess,
        whole.tokenCount(),
        whole.meanRatio(),
        whole.stdRatio(),
        Math.exp(maxLogRatio),
        klSum / whole.tokenCount());
  }
}
