package org.p3ostream.deploy.replay;

import java.io.PrintWriter;
import org.p3ostream.learner.checkpoint.CheckpointInventory.PassedOver;
import org.p3ostream.learner.runtime.Difference;
import org.p3ostream.learner.runtime.ReplayReport;
import org.p3ostream.learner.runtime.ReplayedStep;

/** A replay for people: steps that differ as they are found, then what it came to. */
public final class ReplayText {
  private static final int NOTICE_STEPS = 50;

  private final PrintWriter out;
  private long identical;

  public ReplayText(PrintWriter out) {
    this.out = out;
  }

  /** Shows what differs in a step, and now and then that nothing did. */
  public void step(ReplayedStep step) {
    if (step.isIdentical()) {
      identical++;
      if (identical % NOTICE_STEPS == 0) {
        out.printf("step %d: %d steps identical so far%n", step.step(), identical);
      }
    }
    for (Difference difference : step.differences()) {
      out.printf("step %d DIFFERS: %s%n", step.step(), difference);
    }
    out.flush();
  }

  /** Shows what it came to. */
  public void summary(ReplayReport report) {
    for (PassedOver other : report.passedOver()) {
      out.printf(
          "checkpoint %s %s: %s%n",
          other.path(), other.damaged() ? "IS DAMAGED" : "passed over", other.reason());
    }
    if (report.failure() != null) {
      out.printf("ENDED EARLY: %s%n", report.failure());
    }
    out.printf(
        "replayed         steps %d to %d, from %s on (%d steps executed before)%n",
        report.from(), report.to(), report.start(), report.executedBefore());
    out.printf(
        "identical        %d of %d in weights, metrics, ratio statistics and snapshots%n",
        report.identical(), report.to() - report.from() + 1);
    if (!report.steps().isEmpty()) {
      ReplayedStep last = report.steps().get(report.steps().size() - 1);
      out.printf(
          "weights SHA-256  %s (version %d, after step %d)%n",
          last.weightsSha256(), last.policyVersion(), last.step());
    }
    out.printf("time             %.1f s%n", report.millis() / 1000.0);
  }
}
