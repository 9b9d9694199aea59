package org.p3ostream.deploy.replay;

import java.io.PrintWriter;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.runtime.ForkReport;
import org.p3ostream.learner.runtime.ForkSource;

/** What came of a fork, for people. */
public final class ForkText {
  private ForkText() {}

  /** Shows it. */
  public static void show(PrintWriter out, RunConfig fork, ForkSource source, ForkReport report) {
    out.printf(
        "fork             run %s at '%s', of run %s after step %d (version %d)%n",
        fork.id(), fork.topicPrefix(), source.runId(), report.sharedStep(), report.sharedVersion());
    out.printf(
        "changed          %s%n",
        report.changes().isEmpty() ? "nothing" : String.join("; ", report.changes()));
    if (report.changes().isEmpty()) {
      out.printf(
          "off-policy       no window: with nothing changed the weights are those of the run%n");
    } else if (report.offPolicyFrom().isPresent()) {
      out.printf(
          "off-policy       from window %d on: run %s sampled it with weights that are not the fork's%n",
          report.offPolicyFrom().getAsLong(), source.runId());
    } else {
      out.printf("off-policy       no window: all were sampled by weights that both share%n");
    }
    if (report.lastStep() == report.sharedStep()) {
      out.printf("trained          nothing yet%n");
    } else {
      String end =
          report.lastStep() == report.sourceLastStep()
              ? ", all that the run has: a fork has no producers, so it ends here"
              : " of " + report.sourceLastStep();
      out.printf(
          "trained          steps %d to %d%s%n", report.sharedStep() + 1, report.lastStep(), end);
    }
    out.printf(
        "weights SHA-256  %s (version %d)%n", report.weightsSha256(), report.policyVersion());
  }
}
