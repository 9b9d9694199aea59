package org.p3ostream.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jline.utils.WCWidth;
import org.p3ostream.deploy.log.TerminalText;

/**
 * A snapshot as lines of text. Pure: what it shows depends on what it is given alone. No line is
 * wider than the screen, and there are no more of them than it has.
 */
final class TopScreen {

  private static final int LABEL = 12;
  private static final int VALUE = 10;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

  private final URI source;
  private final ZoneId zone;
  private final boolean unicode;

  /**
   * @param source address of the server, shown
   * @param unicode whether the terminal can show more than ASCII
   */
  TopScreen(URI source, ZoneId zone, boolean unicode) {
    this.source = source;
    this.zone = zone;
    this.unicode = unicode;
  }

  /**
   * The lines.
   *
   * @param columns width of the screen
   * @param rows height of it
   */
  List<String> render(RunSnapshot run, int columns, int rows) {
    StepWindow steps = new StepWindow(run.steps());
    List<String> lines = new ArrayList<>();
    lines.add(head(run, steps));
    lines.add(row("alerts", Alerts.line(run)));
    if (steps.isEmpty()) {
      lines.add(row("steps", "none yet"));
    } else {
      addSteps(lines, steps, columns);
    }
    addStaleness(lines, run, steps);
    addThroughput(lines, steps);
    addLatencies(lines, run.latencies());
    addDeadLetters(lines, run.deadLetters());
    addProducers(lines, run.producers());
    return lines.stream().limit(Math.max(0, rows)).map(line -> cut(line, columns)).toList();
  }

  private String head(RunSnapshot run, StepWindow steps) {
    JsonNode newest = steps.newest();
    String state = Alerts.state(run);
    return "p3o top  run %s  %s%s  %s  %s"
        .formatted(
            run.runId().isEmpty() ? "?" : TerminalText.inline(run.runId()),
            state.isEmpty() ? "" : state + "  ",
            newest == null
                ? "no step yet"
                : "step %d  version %d  %s  %.0f s ago"
                    .formatted(
                        newest.path("step").asLong(),
                        newest.path("policyVersion").asLong(),
                        TerminalText.inline(newest.path("algorithm").asText()),
                        Math.max(0, steps.secondsSinceLast(run.atMillis()))),
            TIME.format(Instant.ofEpochMilli(run.atMillis()).atZone(zone)),
            source);
  }

  private void addSteps(List<String> lines, StepWindow steps, int columns) {
    lines.add(curve("reward", "%.3f", steps, "rewardMean", columns));
    lines.add(curve("ESS", "%.3f", steps, "normalizedEss", columns));
    lines.add(curve("cap", "%.3f", steps, "adaptiveCap", columns));
    String exact = "behaviorKlExactMean";
    lines.add(
        curve(
            "KL",
            "%.2e",
            steps,
            steps.values(exact).length > 0 ? exact : "behaviorKlProxyMean",
            columns));
    lines.add(curve("grad norm", "%.3g", steps, "gradNorm", columns));
  }

  private void addStaleness(List<String> lines, RunSnapshot run, StepWindow steps) {
    if (steps.isEmpty()) {
      return;
    }
    lines.add(
        row(
            "staleness",
            "mean %s, p95 %s, max %s versions"
                .formatted(
                    number("%.2f", steps.last("stalenessMean")),
                    number("%.0f", steps.last("stalenessP95")),
                    number("%.0f", steps.last("stalenessMax")))));
    JsonNode live = run.staleness();
    double windows = number(live.path("lagWindows"));
    lines.add(
        row(
            "lag",
            "%s records, %s windows, %s s"
                .formatted(
                    number("%.0f", number(live.path("lagRecords"))),
                    number("%.0f", Double.isNaN(windows) ? steps.last("lagWindows") : windows),
                    number("%.1f", number(live.path("lagSeconds"))))));
  }

  private void addThroughput(List<String> lines, StepWindow steps) {
    if (steps.isEmpty()) {
      return;
    }
    lines.add(
        row(
            "throughput",
            "%s tokens/s trained, %s s a step"
                .formatted(
                    number("%.0f", steps.tokensPerSecond()), number("%.3f", steps.stepSeconds()))));
    lines.add(
        row(
            "phases, ms",
            "wait %s, pre-pass %s, update %s, encode %s, commit %s, checkpoint %s"
                .formatted(
                    number("%.1f", steps.phaseMillis("waitMillis")),
                    number("%.1f", steps.phaseMillis("prePassMillis")),
                    number("%.1f", steps.phaseMillis("updateMillis")),
                    number("%.1f", steps.phaseMillis("encodeMillis")),
                    number("%.1f", steps.phaseMillis("previousCommitMillis")),
                    number("%.1f", steps.phaseMillis("previousCheckpointMillis")))));
  }

  private static void addLatencies(List<String> lines, JsonNode latencies) {
    for (JsonNode stage : latencies.path("stages")) {
      lines.add(
          row(
              "latency",
              "%s p50 %s, p95 %s, max %s s"
                  .formatted(
                      TerminalText.inline(stage.path("stage").asText()).replace('_', ' '),
                      number("%.2f", number(stage.path("p50Seconds"))),
                      number("%.2f", number(stage.path("p95Seconds"))),
                      number("%.2f", number(stage.path("maxSeconds"))))));
    }
  }

  private static void addDeadLetters(List<String> lines, JsonNode letters) {
    if (letters.path("total").isNumber()) {
      String reasons =
          StreamSupport.stream(letters.path("reasons").spliterator(), false)
              .map(
                  r ->
                      TerminalText.inline(r.path("reason").asText())
                          + " "
                          + r.path("count").asLong())
              .collect(Collectors.joining(", ", ": ", ""));
      long total = letters.path("total").asLong();
      lines.add(row("dead letters", total + (total == 0 ? "" : reasons)));
    }
  }

  private static void addProducers(List<String> lines, JsonNode answer) {
    if (!answer.path("producers").isArray()) {
      lines.add(row("producers", "not known yet"));
      return;
    }
    lines.add("");
    lines.add(
        producer("PRODUCER", "GROUPS", "GROUPS/S", "TOKENS/S", "STALENESS", "REWARD", "SILENT"));
    for (JsonNode p : answer.path("producers")) {
      lines.add(
          producer(
              TerminalText.inline(p.path("producerId").asText()),
              number("%.0f", number(p.path("groups"))),
              number("%.1f", number(p.path("groupsPerSecond"))),
              number("%.0f", number(p.path("tokensPerSecond"))),
              number("%.2f", number(p.path("stalenessMean"))),
              number("%.3f", number(p.path("rewardMean"))),
              number("%.0f s", number(p.path("silentSeconds")))));
    }
  }

  private static String producer(Object... columns) {
    return String.format(Locale.ROOT, "%-12s %9s %9s %9s %10s %8s %8s", columns);
  }

  private String curve(String label, String format, StepWindow steps, String name, int columns) {
    double[] values = steps.values(name);
    if (values.length == 0) {
      return row(label, "none");
    }
    String number = number(format, values[values.length - 1]);
    String padded = number + " ".repeat(Math.max(0, VALUE - number.length()));
    return row(label, padded + Sparkline.of(values, columns - LABEL - VALUE, unicode));
  }

  private static String row(String label, String value) {
    return label + " ".repeat(Math.max(1, LABEL - label.length())) + value;
  }

  private static double number(JsonNode node) {
    return node.isNumber() ? node.asDouble() : Double.NaN;
  }

  /** What is not known is a dash. */
  private static String number(String format, double value) {
    return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
  }

  /** As much of a line as there are columns for. */
  static String cut(String line, int columns) {
    StringBuilder fitting = new StringBuilder();
    int width = 0;
    for (int i = 0; i < line.length(); i += Character.charCount(line.codePointAt(i))) {
      int character = line.codePointAt(i);
      width += Math.max(0, WCWidth.wcwidth(character));
      if (width > columns) {
        break;
      }
      fitting.appendCodePoint(character);
    }
    return fitting.toString();
  }
}
