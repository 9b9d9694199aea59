package org.p3ostream.tests.faults;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.p3ostream.deploy.cli.ExitCode;

/** What a soak came to: a table of its faults, and a summary for people and for programs. */
final class SoakReport {
  private final long seed;
  private final List<DisturbedRun.Result> results;
  private final List<Outcome> outcomes;
  private final double seconds;

  SoakReport(long seed, List<DisturbedRun.Result> results, double seconds) {
    this.seed = seed;
    this.results = results;
    this.outcomes = results.stream().flatMap(result -> result.outcomes().stream()).toList();
    this.seconds = seconds;
  }

  /** One line of the table. */
  static String csv(Outcome outcome) {
    Fault fault = outcome.fault();
    return String.join(
        ",",
        Integer.toString(fault.index()),
        outcome.brokers(),
        fault.kind().toString(),
        fault.failpoint() == null ? "" : fault.failpoint().toString(),
        Integer.toString(fault.afterSteps()),
        Integer.toString(fault.delayMillis()),
        Long.toString(outcome.recoveryMs()),
        Long.toString(outcome.wallMs()),
        outcome.exits().stream()
            .map(exit -> exit.role() + ":" + exit.code())
            .collect(Collectors.joining(" ")),
        outcome.verdict().ok() ? "ok" : "broken");
  }

  /** How every fault ended. */
  List<Outcome> outcomes() {
    return outcomes;
  }

  /** How often every failpoint was reached. */
  Map<String, Long> failpointHits() {
    Map<String, Long> hits = new TreeMap<>();
    FaultSchedule.moments().forEach(name -> hits.put(name, 0L));
    for (Outcome outcome : outcomes) {
      if (outcome.fault().failpoint() != null) {
        hits.merge(outcome.fault().failpoint().name(), 1L, Long::sum);
      }
    }
    return hits;
  }

  /** Transactions that were begun, sent and never became visible. */
  long aborted() {
    return results.stream().mapToLong(r -> r.abortedEvents() + r.abortedRollouts()).sum();
  }

  /** Processes that ended because another had taken over. */
  long fenced() {
    return outcomes.stream()
        .flatMap(outcome -> outcome.exits().stream())
        .filter(exit -> exit.code() == ExitCode.FENCED)
        .count();
  }

  /** Writes faults.csv, summary.json and summary.md. */
  void write(Path directory) throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("fault,brokers,kind,failpoint,after_steps,delay_ms,recovery_ms,wall_ms,exits,audit");
    outcomes.forEach(outcome -> lines.add(csv(outcome)));
    Files.write(directory.resolve("faults.csv"), lines);
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve("summary.json").toFile(), summary());
    Files.writeString(directory.resolve("summary.md"), markdown());
  }

  private Map<String, Object> summary() {
    Map<String, Object> summary = new LinkedHashMap<>();
    summary.put("seed", seed);
    summary.put("faults", outcomes.size());
    summary.put("lost", outcomes.stream().mapToLong(o -> o.verdict().lost()).sum());
    summary.put("trainedTwice", outcomes.stream().mapToLong(o -> o.verdict().twice()).sum());
    summary.put("chainBreaks", outcomes.stream().mapToLong(o -> o.verdict().chainBreaks()).sum());
    summary.put("weightsIdentical", outcomes.stream().allMatch(o -> o.verdict().ok()));
    summary.put("steps", sum(DisturbedRun.Result::steps));
    summary.put("groupsTrained", sum(DisturbedRun.Result::groupsTrained));
    summary.put("deadLetters", sum(DisturbedRun.Result::deadLetters));
    summary.put("abortedStepEvents", sum(DisturbedRun.Result::abortedEvents));
    summary.put("abortedRollouts", sum(DisturbedRun.Result::abortedRollouts));
    summary.put("stepsSentAgainAfterAnAbort", sum(DisturbedRun.Result::resentSteps));
    summary.put("fencedProcesses", fenced());
    summary.put("failpointHits", failpointHits());
    summary.put("recoveryMs", recoveries());
    summary.put("minutes", Math.round(seconds / 6) / 10.0);
    return summary;
  }

  private long sum(java.util.function.ToLongFunction<DisturbedRun.Result> figure) {
    return results.stream().mapToLong(figure).sum();
  }

  private Map<String, Map<String, Long>> recoveries() {
    Map<String, Map<String, Long>> table = new LinkedHashMap<>();
    for (FaultKind kind : FaultKind.values()) {
      List<Long> sorted =
          outcomes.stream()
              .filter(outcome -> outcome.fault().kind() == kind)
              .map(Outcome::recoveryMs)
              .sorted()
              .toList();
      if (!sorted.isEmpty()) {
        Map<String, Long> row = new LinkedHashMap<>();
        row.put("count", (long) sorted.size());
        row.put("p50", sorted.get((sorted.size() - 1) / 2));
        row.put("max", sorted.get(sorted.size() - 1));
        table.put(kind.toString(), row);
      }
    }
    return table;
  }

  private String markdown() {
    StringBuilder text = new StringBuilder();
    text.append("| fault | count | recovery p50, s | max, s |\n|---|---|---|---|\n");
    recoveries()
        .forEach(
            (kind, row) ->
                text.append(
                    String.format(
                        Locale.ROOT,
                        "| %s | %d | %.1f | %.1f |%n",
                        FaultKind.valueOf(kind).description(),
                        row.get("count"),
                        row.get("p50") / 1000.0,
                        row.get("max") / 1000.0)));
    Map<String, Object> summary = summary();
    text.append(
        String.format(
            Locale.ROOT,
            "%n%s faults in %s minutes, seed %s: %s groups lost, %s trained twice, %s chain breaks, weights"
                + " of every step %s. %s steps, %s groups trained, %s dead letters; %s step events and %s"
                + " rollouts of aborted transactions, %s steps sent again after an abort, %s processes"
                + " fenced. Every failpoint reached at least %d times.%n",
            summary.get("faults"),
            summary.get("minutes"),
            seed,
            summary.get("lost"),
            summary.get("trainedTwice"),
            summary.get("chainBreaks"),
            Boolean.TRUE.equals(summary.get("weightsIdentical"))
                ? "identical to the twin's"
                : "NOT those of the twin",
            summary.get("steps"),
            summary.get("groupsTrained"),
            summary.get("deadLetters"),
            summary.get("abortedStepEvents"),
            summary.get("abortedRollouts"),
            summary.get("stepsSentAgainAfterAnAbort"),
            summary.get("fencedProcesses"),
            failpointHits().values().stream().mapToLong(Long::longValue).min().orElse(0)));
    return text.toString();
  }
}
