package org.p3ostream.deploy.experiment.outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.p3ostream.deploy.experiment.plan.Plans;

/** Results of runs of {@link Plans#study()}. */
public final class Results {

  private Results() {}

  /** A run of lag2 that passes the gate: its held-out reward is 0.5 above 0.3. */
  public static RunResult good(String algorithm, long seed, double heldOut) {
    return of("lag2", algorithm, seed, null, heldOut, steps(30, 2));
  }

  /** A run of any scenario. */
  public static RunResult of(
      String scenario,
      String algorithm,
      long seed,
      String failure,
      double heldOut,
      List<StepFigures> steps) {
    return new RunResult(
        RunResult.FORMAT,
        scenario + "_" + algorithm + "_" + seed,
        scenario,
        algorithm,
        seed,
        failure,
        0.3,
        failure == null
            ? List.of(new Evaluated(20, heldOut), new Evaluated(30, heldOut))
            : List.of(),
        failure == null ? new Audited(steps.size(), 0, List.of()) : null,
        steps,
        new RunTrace(
            "study." + scenario + "_" + algorithm + "_" + seed + ".1.",
            "run-hash",
            "config-hash",
            "warm-start",
            "initial",
            "weights-" + algorithm + seed,
            0,
            60,
            Map.of("steps-0", 61L)),
        new RunCost(10, 20, 5000, 6000, 300L << 20));
  }

  /** Steps whose reward rises from 0.3 by a hundredth each. */
  public static List<StepFigures> steps(int count, long staleness) {
    return new ArrayList<>(
        IntStream.range(0, count)
            .mapToObj(step -> step(step, Math.min(step, staleness), 0.3 + step / 100.0))
            .toList());
  }

  public static StepFigures step(long step, long staleness, double reward) {
    return new StepFigures(
        step,
        2 * step + 2,
        true,
        step + 1,
        reward,
        0.995,
        null,
        null,
        0.01,
        1.2,
        0.4,
        0.001,
        0.002,
        0.03,
        1.5,
        -0.1,
        staleness,
        (double) staleness,
        staleness,
        500L);
  }

  /** {@code steps} with one of them changed. */
  public static List<StepFigures> with(
      List<StepFigures> steps, int step, UnaryOperator<StepFigures> change) {
    List<StepFigures> changed = new ArrayList<>(steps);
    changed.set(step, change.apply(steps.get(step)));
    return changed;
  }

  /** The same step with another staleness of its tokens. */
  public static StepFigures stale(StepFigures step, long min, long max) {
    return new StepFigures(
        step.step(),
        step.recordOffset(),
        step.trained(),
        step.policyVersion(),
        step.reward(),
        step.ess(),
        step.cap(),
        step.capFraction(),
        step.clipFraction(),
        step.ratioMax(),
        step.ratioAboveOne(),
        step.klProxyMean(),
        step.klExactMean(),
        step.klExactMax(),
        step.gradNorm(),
        step.loss(),
        min,
        (min + max) / 2.0,
        max,
        step.tokens());
  }

  /** The same step with another ESS and gradient norm. */
  public static StepFigures figures(StepFigures step, double ess, double gradNorm) {
    return new StepFigures(
        step.step(),
        step.recordOffset(),
        step.trained(),
        step.policyVersion(),
        step.reward(),
        ess,
        step.cap(),
        step.capFraction(),
        step.clipFraction(),
        step.ratioMax(),
        step.ratioAboveOne(),
        step.klProxyMean(),
        step.klExactMean(),
        step.klExactMax(),
        gradNorm,
        step.loss(),
        step.stalenessMin(),
        step.stalenessMean(),
        step.stalenessMax(),
        step.tokens());
  }
}
