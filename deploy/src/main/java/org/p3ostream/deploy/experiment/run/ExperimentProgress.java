package org.p3ostream.deploy.experiment.run;

import java.io.PrintStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.p3ostream.deploy.experiment.outcome.Check;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.deploy.experiment.outcome.Verdict;
import org.p3ostream.deploy.experiment.plan.PlannedRun;

/**
 * Tells how far an experiment is: what the gate says of every run when it is over, and on a
 * terminal a bar that is rewritten in place. Safe from several threads.
 */
final class ExperimentProgress implements RunListener {

  private static final int BAR = 24;

  private final PrintStream out;
  private final boolean terminal;
  private final int runs;
  private final int stepsOfRun;
  private final LongSupplier nanoTime;
  private final Map<String, Integer> passed = new HashMap<>(); // windows, by run in work
  private final long startedNanos;
  private int runsOver;
  private final int runsOverBefore;
  private long stepsDone; // since the start
  private String latest = "";
  private int shownLength;

  /**
   * @param terminal whether {@code out} is one
   * @param runs of the whole experiment
   * @param runsOver those that are over already
   * @param stepsOfRun windows of each
   */
  ExperimentProgress(
      PrintStream out,
      boolean terminal,
      int runs,
      int runsOver,
      int stepsOfRun,
      LongSupplier nanoTime) {
    this.out = out;
    this.terminal = terminal;
    this.runs = runs;
    this.runsOver = runsOver;
    this.runsOverBefore = runsOver;
    this.stepsOfRun = stepsOfRun;
    this.nanoTime = nanoTime;
    this.startedNanos = nanoTime.getAsLong();
  }

  @Override
  public synchronized void preparing(PlannedRun run) {
    latest = run.title() + ", preparing";
    redraw();
  }

  @Override
  public synchronized void training(PlannedRun run, int windows, StepFigures newest) {
    Integer before = passed.put(run.id(), windows);
    stepsDone += windows - (before == null ? 0 : before);
    latest =
        String.format(
            Locale.ROOT,
            "%s, step %d/%d, reward %s",
            run.title(),
            windows,
            stepsOfRun,
            newest.reward() == null ? "none" : String.format(Locale.ROOT, "%.2f", newest.reward()));
    redraw();
  }

  @Override
  public synchronized void measuring(PlannedRun run) {
    latest = run.title() + ", measuring";
    redraw();
  }

  /** A run is over. */
  synchronized void over(PlannedRun run, RunResult result, Verdict verdict) {
    Integer windows = passed.remove(run.id());
    stepsDone += stepsOfRun - (windows == null ? 0 : windows); // it has no more to come
    runsOver++;
    erase();
    out.printf(
        Locale.ROOT,
        "[%d/%d] %s, %.1f s%n  execution %s: %s%n  quality %s: %s%n",
        runsOver,
        runs,
        run.title(),
        result.cost().wallSeconds(),
        verdict.executed() ? "passed" : "FAILED",
        text(verdict.execution()),
        verdict.learnt() ? "passed" : "FAILED",
        text(verdict.quality()));
    redraw();
    if (!terminal && runsOver < runs) {
      out.printf("  %s left%n", clock(left()));
    }
  }

  /** Ends the line, so that other output starts on its own. */
  synchronized void end() {
    erase();
  }

  private static String text(Iterable<Check> checks) {
    StringBuilder text = new StringBuilder();
    for (Check check : checks) {
      text.append(text.isEmpty() ? "" : "; ").append(check.name());
      text.append(check.passed() ? " " : " NOT: ").append(check.measured());
    }
    return text.toString();
  }

  private void redraw() {
    if (!terminal) {
      return;
    }
    long all = (long) runs * stepsOfRun;
    long done = (long) runsOverBefore * stepsOfRun + stepsDone;
    int filled = (int) (BAR * done / Math.max(1, all));
    String text =
        "[%s%s] %d/%d runs, %s left  %s"
            .formatted(
                "#".repeat(filled),
                ".".repeat(BAR - filled),
                runsOver,
                runs,
                clock(left()),
                latest);
    out.print("\r" + text + " ".repeat(Math.max(0, shownLength - text.length())));
    out.flush();
    shownLength = text.length();
  }

  private void erase() {
    if (shownLength > 0) {
      out.print("\r" + " ".repeat(shownLength) + "\r");
      out.flush();
      shownLength = 0;
    }
  }

  /** By the steps that were done so far; evaluation and audit are in the time that they took. */
  private Duration left() {
    long all = (long) (runs - runsOverBefore) * stepsOfRun;
    if (stepsDone == 0) {
      return Duration.ZERO;
    }
    double nanosPerStep = (double) (nanoTime.getAsLong() - startedNanos) / stepsDone;
    return Duration.ofNanos((long) (nanosPerStep * Math.max(0, all - stepsDone)));
  }

  private String clock(Duration duration) {
    if (stepsDone == 0) {
      return "?";
    }
    return String.format(
        Locale.ROOT,
        "%d:%02d:%02d",
        duration.toHours(),
        duration.toMinutesPart(),
        duration.toSecondsPart());
  }
}
