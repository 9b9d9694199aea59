package org.p3ostream.deploy.demo;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The end of a demo, for people. */
final class DemoSummary {

  private DemoSummary() {}

  static void print(PrintStream out, DemoReport report) {
    line(
        out,
        "training reward",
        "%.3f -> %.3f (means of the first and the last %d steps)",
        report.rewardFirst10(),
        report.rewardLast10(),
        DemoReport.rewardSteps(report.steps()));
    line(
        out,
        "held-out exact match",
        "%.3f -> %.3f (%d prompts never trained on, sampled at T = 1)",
        report.evalRewardBefore(),
        report.evalRewardAfter(),
        DemoRecipe.HELD_OUT_PROMPTS);
    line(out, "effective sample size", "mean %.3f, min %.3f", report.essMean(), report.essMin());
    line(
        out,
        "staleness",
        "mean %.2f, min %d, max %d policy versions",
        report.stalenessMean(),
        report.stalenessMin(),
        report.stalenessMax());
    line(out, "lag", "max %d (complete windows behind the one trained)", report.lagWindowsMax());
    line(
        out,
        "throughput",
        "%.0f tokens/s generated, %.0f tokens/s trained",
        report.generatedTokensPerSecond(),
        report.trainedTokensPerSecond());
    line(out, "groups by producer", "%s", counts(report.groupsByProducer()));
    if (!report.audit().isEmpty()) {
      line(out, AuditText.NAME, "%s", AuditText.of(report.audit()));
    }
    line(out, "time of a step", "%s", phases(report.phases()));
    line(out, "policy version", "%d after %d steps", report.policyVersion(), report.steps());
    line(
        out,
        "weights SHA-256",
        "%s (rebuilt from the snapshots, equal to the ledger)",
        report.weightsSha256());
    if (report.learnerStarts() > 1) {
      line(out, "learner starts", "%d; the figures are of the whole run", report.learnerStarts());
    }
    line(
        out, "time", "%.1f s training, %.1f s in all", report.trainSeconds(), report.wallSeconds());
  }

  private static void line(PrintStream out, String name, String format, Object... values) {
    out.printf(Locale.ROOT, "%-22s %s%n", name, String.format(Locale.ROOT, format, values));
  }

  private static String counts(Map<String, Long> groups) {
    return groups.entrySet().stream()
        .map(entry -> entry.getKey() + ": " + entry.getValue())
        .collect(Collectors.joining(", "));
  }

  private static String phases(Map<String, Double> phases) {
    return phases.entrySet().stream()
        .map(
            entry ->
                String.format(
                    Locale.ROOT, "%s %.1f", entry.getKey().replace("Millis", ""), entry.getValue()))
        .collect(Collectors.joining(", ", "", " ms"));
  }
}
