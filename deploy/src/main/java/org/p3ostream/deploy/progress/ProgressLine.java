package org.p3ostream.deploy.progress;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepMetrics;

/** One line that tells where a run stands: rewritten in place on a terminal, else now and then. */
public final class ProgressLine {

  private static final int STEPS_PER_LINE = 10;

  private final PrintStream out;
  private final boolean terminal;
  private final long steps;
  private long nextStep = 1;
  private int shownLength;

  /**
   * @param terminal whether {@code out} is one
   * @param steps steps of the whole run
   */
  public ProgressLine(PrintStream out, boolean terminal, long steps) {
    this.out = out;
    this.terminal = terminal;
    this.steps = steps;
  }

  /** Shows the run as it stands, if there is something new to show. */
  public void show(RunStatistics run) {
    @Nullable StepMetrics newest = run.newest();
    if (newest == null || run.stepsPassed() < nextStep) {
      return;
    }
    String text = text(run, newest);
    if (terminal) {
      out.print("\r" + text + " ".repeat(Math.max(0, shownLength - text.length())));
      out.flush();
      shownLength = text.length();
      nextStep = run.stepsPassed() + 1;
    } else {
      out.println(text);
      nextStep = (run.stepsPassed() / STEPS_PER_LINE + 1) * STEPS_PER_LINE;
    }
  }

  /** Ends the line, so that other output starts on its own. */
  public void end() {
    if (shownLength > 0) {
      out.println();
      shownLength = 0;
    }
  }

  private String text(RunStatistics run, StepMetrics newest) {
    @Nullable Double cap = newest.getAdaptiveCap();
    return String.format(
        Locale.ROOT,
        "step %d/%d  reward %.3f  ESS %.3f  cap %s  staleness %.1f  %.0f tokens/s  %s left",
        run.stepsPassed(),
        steps,
        newest.getRewardMean(),
        newest.getNormalizedEss(),
        cap == null ? "none" : String.format(Locale.ROOT, "%.3f", cap),
        newest.getStalenessMean(),
        run.trainSeconds() > 0 ? run.trainedTokens() / run.trainSeconds() : 0,
        clock(timeLeft(run)));
  }

  private Duration timeLeft(RunStatistics run) {
    double secondsPerStep = run.trainSeconds() / Math.max(1, run.stepsPassed());
    return Duration.ofSeconds(Math.round(secondsPerStep * (steps - run.stepsPassed())));
  }

  private static String clock(Duration duration) {
    return String.format(Locale.ROOT, "%d:%02d", duration.toMinutes(), duration.toSecondsPart());
  }
}
