package org.p3ostream.deploy.experiment.outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.plan.Expectation;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.Scenario;

/**
 * Judges runs by the rules of their plan.
 *
 * <p>Execution: the run reached its end, every step is in the ledger, the audit of its log is
 * clean, no figure is not finite, and staleness and ESS are what the scenario says. Quality: the
 * held-out reward is above that of the warm start by a margin.
 */
public final class Gate {

  private final ExperimentPlan plan;

  public Gate(ExperimentPlan plan) {
    this.plan = plan;
  }

  /** The rules, a line each, for people. */
  public List<String> rules() {
    return List.of(
        "execution: the run reached its end, and all %d steps are in the ledger"
            .formatted(plan.steps()),
        "execution: the audit of its log finds nothing",
        "execution: no figure of any step is NaN or infinite",
        "execution: the staleness of its tokens has exactly the bounds of the scenario",
        "execution: the ESS of every step is at least what the scenario says, if it says so",
        "quality: held-out reward at least %s above that of the warm start"
            .formatted(number(plan.gate().rewardMargin())));
  }

  /** What these rules say of a run of the plan. */
  public Verdict judge(RunResult run) {
    Scenario scenario =
        plan.scenarios().stream()
            .filter(one -> one.name().equals(run.scenario()))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no scenario " + run.scenario()));
    List<Check> execution =
        new ArrayList<>(
            List.of(
                ended(run),
                steps(run),
                audit(run),
                finite(run),
                staleness(run, scenario.expect())));
    Double essMin = scenario.expect().essMin();
    if (essMin != null) {
      execution.add(ess(run, essMin));
    }
    return new Verdict(execution, List.of(learnt(run)));
  }

  private static Check ended(RunResult run) {
    String failure = run.failure();
    return new Check(
        "ended",
        failure == null,
        failure == null ? "by itself" : failure.lines().findFirst().orElse(""));
  }

  private Check steps(RunResult run) {
    boolean all = run.steps().size() == plan.steps();
    for (int i = 0; i < run.steps().size(); i++) {
      all &= run.steps().get(i).step() == i;
    }
    long passed = run.steps().stream().filter(step -> !step.trained()).count();
    return new Check(
        "steps",
        all,
        "%d of %d%s"
            .formatted(
                run.steps().size(),
                plan.steps(),
                passed == 0 ? "" : ", " + passed + " of them without a valid token"));
  }

  private static Check audit(RunResult run) {
    Audited audit = run.audit();
    if (audit == null) {
      return new Check("audit", false, "not made");
    }
    return new Check(
        "audit",
        audit.clean(),
        audit.clean() ? "clean" : audit.problems() + " problems: " + audit.first().get(0));
  }

  private static Check finite(RunResult run) {
    for (StepFigures step : run.steps()) {
      String wrong = step.notFinite();
      if (wrong != null) {
        return new Check("finite", false, "step " + step.step() + ": " + wrong);
      }
    }
    return new Check("finite", true, "all");
  }

  /** Bounds are reached and kept; before they settle, the upper one is kept. */
  private static Check staleness(RunResult run, Expectation expect) {
    long min = Long.MAX_VALUE;
    long max = -1;
    boolean kept = true;
    for (StepFigures step : run.steps()) {
      Long low = step.stalenessMin();
      Long high = step.stalenessMax();
      if (low != null && high != null) {
        kept &= high <= expect.stalenessMax();
        if (step.step() >= expect.fromStep()) {
          min = Math.min(min, low);
          max = Math.max(max, high);
        }
      }
    }
    boolean exact = kept && min == expect.stalenessMin() && max == expect.stalenessMax();
    String measured = max < 0 ? "nothing" : range(min, max);
    String from = expect.fromStep() == 0 ? "" : " from step " + expect.fromStep();
    return new Check(
        "staleness",
        exact,
        "%s%s, expected %s%s"
            .formatted(
                measured,
                from,
                range(expect.stalenessMin(), expect.stalenessMax()),
                kept ? "" : ", more before that"));
  }

  private static Check ess(RunResult run, double essMin) {
    @Nullable StepFigures lowest = null;
    for (StepFigures step : run.steps()) {
      Double ess = step.ess();
      if (ess != null && (lowest == null || ess < Objects.requireNonNull(lowest.ess()))) {
        lowest = step;
      }
    }
    if (lowest == null) {
      return new Check("ESS", false, "nothing measured");
    }
    double found = Objects.requireNonNull(lowest.ess());
    return new Check(
        "ESS",
        found >= essMin,
        "lowest %s, at step %d; at least %s"
            .formatted(number(found), lowest.step(), number(essMin)));
  }

  private Check learnt(RunResult run) {
    Double heldOut = new RunFigures(run, plan.gate()).heldOut();
    if (heldOut == null) {
      return new Check("learnt", false, "not evaluated");
    }
    double goal = run.warmStartReward() + plan.gate().rewardMargin();
    return new Check(
        "learnt",
        heldOut >= goal,
        "held-out %s -> %s, at least %s"
            .formatted(number(run.warmStartReward()), number(heldOut), number(goal)));
  }

  private static String range(long min, long max) {
    return min == max ? Long.toString(min) : min + " to " + max;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
