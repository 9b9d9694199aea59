package org.p3ostream.deploy.experiment.outcome;

import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.plan.GateRules;

/**
 * Figures of a run over its steps.
 *
 * <pre>
 *   final reward  mean training reward of the last {@value #WINDOW} trained steps
 *   held-out      mean over the evaluations
 *   collapsed     held-out < warm start − collapseBelow, or
 *                 final reward < collapseShare · best mean of {@value #WINDOW} trained steps in a row
 * </pre>
 *
 * A figure is null if no step has it.
 */
public final class RunFigures {

  /** Steps of a mean of training rewards: one step of 64 answers is noisy. */
  static final int WINDOW = 10;

  private final RunResult run;
  private final GateRules rules;

  public RunFigures(RunResult run, GateRules rules) {
    this.run = run;
    this.rules = rules;
  }

  @Nullable Double finalReward() {
    return windowEnding(rewards().length);
  }

  @Nullable Double heldOut() {
    return run.evaluations().isEmpty()
        ? null
        : run.evaluations().stream().mapToDouble(Evaluated::reward).average().orElseThrow();
  }

  @Nullable Double gain() {
    Double heldOut = heldOut();
    return heldOut == null ? null : Double.valueOf(heldOut - run.warmStartReward());
  }

  /** 1 if the run has collapsed, else 0; null if nothing was measured. */
  @Nullable Double collapsed() {
    Double gain = gain();
    Double last = finalReward();
    if (gain == null && last == null) {
      return null;
    }
    boolean forgotten = gain != null && gain < -rules.collapseBelow();
    boolean fallen = last != null && last < rules.collapseShare() * bestReward();
    return forgotten || fallen ? 1.0 : 0.0;
  }

  @Nullable Double mean(Function<StepFigures, @Nullable Double> figure) {
    return orNull(values(figure).average());
  }

  @Nullable Double max(Function<StepFigures, @Nullable Double> figure) {
    return orNull(values(figure).max());
  }

  @Nullable Double min(Function<StepFigures, @Nullable Double> figure) {
    return orNull(values(figure).min());
  }

  /** Mean staleness over tokens, versions. */
  @Nullable Double staleness() {
    double sum = 0;
    long tokens = 0;
    for (StepFigures step : run.steps()) {
      Double mean = step.stalenessMean();
      Long count = step.tokens();
      if (mean != null && count != null) {
        sum += mean * count;
        tokens += count;
      }
    }
    return tokens == 0 ? null : Double.valueOf(sum / tokens);
  }

  RunCost cost() {
    return run.cost();
  }

  private double bestReward() {
    double[] rewards = rewards();
    double best = 0;
    for (int end = Math.min(WINDOW, rewards.length); end <= rewards.length; end++) {
      best = Math.max(best, Objects.requireNonNull(windowEnding(end)));
    }
    return best;
  }

  private @Nullable Double windowEnding(int end) {
    double[] rewards = rewards();
    if (rewards.length == 0) {
      return null;
    }
    double sum = 0;
    int from = Math.max(0, end - WINDOW);
    for (int i = from; i < end; i++) {
      sum += rewards[i];
    }
    return sum / (end - from);
  }

  private double[] rewards() {
    return values(StepFigures::reward).toArray();
  }

  private DoubleStream values(Function<StepFigures, @Nullable Double> figure) {
    List<StepFigures> steps = run.steps();
    return steps.stream()
        .map(figure)
        .filter(Objects::nonNull)
        .mapToDouble(value -> Objects.requireNonNull(value));
  }

  private static @Nullable Double orNull(OptionalDouble value) {
    return value.isPresent() ? Double.valueOf(value.getAsDouble()) : null;
  }
}
