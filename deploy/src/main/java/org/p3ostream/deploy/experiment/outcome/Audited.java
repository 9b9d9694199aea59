package org.p3ostream.deploy.experiment.outcome;

import java.util.List;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.audit.Problem;

/**
 * What the audit of a run's log came to.
 *
 * @param steps windows that are over
 * @param problems how many
 * @param first the first ones, for people
 */
public record Audited(long steps, long problems, List<String> first) {

  private static final int SHOWN = 5;

  public Audited {
    first = List.copyOf(first);
  }

  public static Audited of(AuditReport report) {
    return new Audited(
        report.steps(),
        report.problemCount(),
        report.problems().stream().limit(SHOWN).map(Problem::toString).toList());
  }

  /** Whether nothing is wrong. */
  boolean clean() {
    return problems == 0;
  }
}
