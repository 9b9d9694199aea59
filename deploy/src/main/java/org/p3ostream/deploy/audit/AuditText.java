package org.p3ostream.deploy.audit;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.deploy.log.TerminalText;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.audit.GroupHistory;
import org.p3ostream.learner.audit.Problem;
import org.p3ostream.learner.audit.ProblemKind;
import org.p3ostream.learner.audit.VersionOrigin;

/** What an audit came to, for people. */
public final class AuditText {

  private final PrintWriter out;

  public AuditText(PrintWriter out) {
    this.out = out;
  }

  /** Shows the whole answer. */
  public void show(AuditAnswer answer) {
    show(answer.report());
    VersionOrigin version = answer.version();
    GroupHistory group = answer.group();
    if (version != null) {
      show(version);
    }
    if (group != null) {
      show(group, answer.report());
    }
    out.flush();
  }

  private void show(AuditReport report) {
    AuditReport.Groups groups = report.groups();
    AuditReport.Records records = report.records();
    field("run", "%s, topic prefix %s", report.runId(), report.topicPrefix());
    field(
        "ledger",
        "%,d events, %,d steps, policy version %d, %,d chain breaks",
        report.events(),
        report.steps(),
        report.policyVersion(),
        report.chainBreaks());
    field(
        "groups",
        "%,d dispatched: %,d trained, %,d passed, %,d given up, %,d pending; %,d lost, %,d trained"
            + " twice",
        groups.dispatched(),
        groups.trained(),
        groups.passed(),
        groups.givenUp(),
        groups.pending(),
        report.lost(),
        report.duplicates());
    field(
        "records",
        "%,d rollouts, of these %,d skipped for a reason and %,d waiting; %,d prompts, %,d dead"
            + " letters; %,d trimmed",
        records.rollouts(),
        records.skipped(),
        records.waiting(),
        records.prompts(),
        records.deadLetters(),
        records.trimmed());
    field("snapshots", "%,d versions rebuilt, equal to the ledger", records.snapshots());
    field("weights", "%s", report.weightsSha256().isEmpty() ? "none" : report.weightsSha256());
    field("audit", report.ok() ? "ok" : "NOT OK, problems: %,d", report.problemCount());
    report.problems().forEach(this::show);
    showFurther(report);
  }

  private void show(Problem problem) {
    print("  %s %s: %s", problem.kind(), problem.where(), problem.what());
  }

  private void showFurther(AuditReport report) {
    Map<ProblemKind, Long> shown = new TreeMap<>();
    report.problems().forEach(problem -> shown.merge(problem.kind(), 1L, Long::sum));
    new TreeMap<>(report.problemCounts())
        .forEach(
            (kind, count) -> {
              long further = count - shown.getOrDefault(kind, 0L);
              if (further > 0) {
                print("  %s: %,d more", kind, further);
              }
            });
  }

  private void show(VersionOrigin origin) {
    out.println();
    if (origin.groups().isEmpty()) {
      print(
          "version %d %s",
          origin.version(),
          origin.isInitial() ? "is the one that the run began with" : "was never trained");
      return;
    }
    print("version %d was trained by", origin.version());
    for (VersionOrigin.Trained group : origin.groups()) {
      print(
          "  group %d attempt %d in step %d, partition %d offset %d, sampled by version %d",
          group.groupId(),
          group.attempt(),
          group.step(),
          group.partition(),
          group.recordOffset(),
          group.sampledBy());
    }
  }

  private void show(GroupHistory history, AuditReport report) {
    out.println();
    print("group %d", history.groupId());
    for (GroupHistory.Happening happening : history.happenings()) {
      print(
          "  %-11s %-10s %s: %s",
          happening.what(),
          happening.attempt() < 0 ? "" : "attempt " + happening.attempt(),
          happening.where(),
          happening.detail());
    }
    if (history.happenings().isEmpty()) {
      print("  the log does not know it");
    } else if (!history.isOver()) {
      print("  pending: the next window is %d", report.nextWindow());
    }
  }

  private void field(String name, String format, Object... values) {
    print("%-10s %s", name, String.format(Locale.ROOT, format, values));
  }

  /** Run ids, causes and producer ids come from the log. */
  private void print(String format, Object... values) {
    out.println(TerminalText.inline(String.format(Locale.ROOT, format, values)));
  }
}
