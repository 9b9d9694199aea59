package org.p3ostream.deploy.experiment.outcome;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;

/**
 * What is kept of a step. Figures are null in a window that was passed without training, and where
 * the algorithm has none.
 *
 * @param step window, counted from 0
 * @param recordOffset offset of its event in the ledger
 * @param trained false for a window that was passed without training
 * @param policyVersion version after the step
 * @param reward mean training reward, at the scenario's sampling temperature
 * @param ess normalised effective sample size
 * @param cap cap on the ratio
 * @param capFraction fraction of tokens above the cap
 * @param clipFraction fraction of tokens whose gradient a clip removed
 * @param ratioMax largest ratio
 * @param ratioAboveOne fraction of tokens with a ratio above 1
 * @param klProxyMean mean k3 estimate, nats
 * @param klExactMean mean KL(π_θ ‖ π_b) over the vocabulary, nats
 * @param klExactMax largest of a token, nats
 * @param gradNorm L2 norm of the gradient before clipping
 * @param loss what was back-propagated
 * @param stalenessMin smallest of a token, versions
 * @param stalenessMean mean over tokens, versions
 * @param stalenessMax largest of a token, versions
 * @param tokens valid tokens
 */
public record StepFigures(
    long step,
    long recordOffset,
    boolean trained,
    long policyVersion,
    @Nullable Double reward,
    @Nullable Double ess,
    @Nullable Double cap,
    @Nullable Double capFraction,
    @Nullable Double clipFraction,
    @Nullable Double ratioMax,
    @Nullable Double ratioAboveOne,
    @Nullable Double klProxyMean,
    @Nullable Double klExactMean,
    @Nullable Double klExactMax,
    @Nullable Double gradNorm,
    @Nullable Double loss,
    @Nullable Long stalenessMin,
    @Nullable Double stalenessMean,
    @Nullable Long stalenessMax,
    @Nullable Long tokens) {

  /**
   * The figures of an event that settled a window.
   *
   * @param event STEP or NO_OP
   */
  public static StepFigures of(StepEvent event, long recordOffset) {
    StepMetrics metrics = event.getMetrics();
    return new StepFigures(
        event.getStep(),
        recordOffset,
        event.getKind() == StepKind.STEP,
        event.getPolicyVersionAfter(),
        number(metrics, StepMetrics::getRewardMean),
        number(metrics, StepMetrics::getNormalizedEss),
        number(metrics, StepMetrics::getAdaptiveCap),
        number(metrics, StepMetrics::getCapFraction),
        number(metrics, StepMetrics::getClipFraction),
        number(metrics, StepMetrics::getRatioMax),
        number(metrics, StepMetrics::getRatioAboveOneFraction),
        number(metrics, StepMetrics::getBehaviorKlProxyMean),
        number(metrics, StepMetrics::getBehaviorKlExactMean),
        number(metrics, StepMetrics::getBehaviorKlExactMax),
        number(metrics, StepMetrics::getGradNorm),
        number(metrics, StepMetrics::getLoss),
        count(metrics, StepMetrics::getStalenessMin),
        number(metrics, StepMetrics::getStalenessMean),
        count(metrics, StepMetrics::getStalenessMax),
        count(metrics, StepMetrics::getValidTokens));
  }

  private static @Nullable Double number(
      @Nullable StepMetrics metrics, Function<StepMetrics, @Nullable Double> figure) {
    return metrics == null ? null : figure.apply(metrics);
  }

  private static @Nullable Long count(
      @Nullable StepMetrics metrics, Function<StepMetrics, @Nullable Long> figure) {
    return metrics == null ? null : figure.apply(metrics);
  }

  /** The first figure that is not finite, with its name; null if all are. */
  @Nullable String notFinite() {
    @Nullable Double[] values = {
      reward,
      ess,
      cap,
      capFraction,
      clipFraction,
      ratioMax,
      ratioAboveOne,
      klProxyMean,
      klExactMean,
      klExactMax,
      gradNorm,
      loss,
      stalenessMean
    };
    String[] names = {
      "reward",
      "ess",
      "cap",
      "capFraction",
      "clipFraction",
      "ratioMax",
      "ratioAboveOne",
      "klProxyMean",
      "klExactMean",
      "klExactMax",
      "gradNorm",
      "loss",
      "stalenessMean"
    };
    for (int i = 0; i < names.length; i++) {
      Double value = values[i];
      if (value != null && !Double.isFinite(value)) {
        return names[i] + " " + value;
      }
    }
    return null;
  }
}
