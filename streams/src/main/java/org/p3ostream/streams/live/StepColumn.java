package org.p3ostream.streams.live;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A figure of a step as a column, under the names of the report's {@code steps.csv}. */
public enum StepColumn {
  STEP("step", StepView::step),
  COMMITTED_AT("committedAtEpochMillis", StepView::committedAt),
  POLICY_VERSION("policyVersion", StepView::policyVersion),
  GROUPS("groups", StepView::groups),
  STEP_MILLIS("stepMillis", StepView::stepMillis),
  REWARD_MEAN("rewardMean", of(StepView.Training::rewardMean)),
  NORMALIZED_ESS("normalizedEss", of(StepView.Training::normalizedEss)),
  ADAPTIVE_CAP("adaptiveCap", of(StepView.Training::adaptiveCap)),
  RATIO_MEAN("ratioMean", of(StepView.Training::ratioMean)),
  RATIO_STD("ratioStd", of(StepView.Training::ratioStd)),
  RATIO_MAX("ratioMax", of(StepView.Training::ratioMax)),
  KL_PROXY("behaviorKlProxyMeanNats", of(StepView.Training::behaviorKlProxyMean)),
  KL_EXACT("behaviorKlExactMeanNats", of(StepView.Training::behaviorKlExactMean)),
  GRAD_NORM("gradNorm", of(StepView.Training::gradNorm)),
  STALENESS_MIN("stalenessMinVersions", of(StepView.Training::stalenessMin)),
  STALENESS_MEAN("stalenessMeanVersions", of(StepView.Training::stalenessMean)),
  STALENESS_MAX("stalenessMaxVersions", of(StepView.Training::stalenessMax)),
  LAG_WINDOWS("lagWindows", of(StepView.Training::lagWindows)),
  AGE_GENERATION("ageGenerationSeconds", of(StepView.Training::ageGenerationSeconds)),
  AGE_QUEUE("ageQueueSeconds", of(StepView.Training::ageQueueSeconds)),
  AGE_HOLD_BACK("ageHoldBackSeconds", of(StepView.Training::ageHoldBackSeconds)),
  VALID_TOKENS("validTokens", of(StepView.Training::validTokens)),
  WAIT("waitMillis", step -> step.phases().waitMillis()),
  PRE_PASS("prePassMillis", step -> step.phases().prePassMillis()),
  UPDATE("updateMillis", step -> step.phases().updateMillis()),
  ENCODE("encodeMillis", step -> step.phases().encodeMillis()),
  COMMIT("previousCommitMillis", step -> step.phases().previousCommitMillis()),
  CHECKPOINT("previousCheckpointMillis", step -> step.phases().previousCheckpointMillis());

  private final String title;

  @SuppressWarnings("ImmutableEnumChecker") // method references without state
  private final Function<StepView, @Nullable Number> reading;

  StepColumn(String title, Function<StepView, @Nullable Number> reading) {
    this.title = title;
    this.reading = reading;
  }

  /** Name of the column, with its unit. */
  public String title() {
    return title;
  }

  /** Value in {@code step}; null if there is none or it is not finite. */
  public @Nullable Number of(StepView step) {
    Number value = reading.apply(step);
    return value == null || !Double.isFinite(value.doubleValue()) ? null : value;
  }

  private static Function<StepView, @Nullable Number> of(
      Function<StepView.Training, @Nullable Number> figure) {
    return step -> step.training() == null ? null : figure.apply(step.training());
  }
}
