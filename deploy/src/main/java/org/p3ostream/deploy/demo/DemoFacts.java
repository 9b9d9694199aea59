package org.p3ostream.deploy.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.deploy.report.Fact;
import org.p3ostream.deploy.report.RunReport;
import org.p3ostream.deploy.report.StepSeries;
import org.p3ostream.deploy.workdirectory.WorkDirectory;

/** What the report of a demo says besides its plots. */
final class DemoFacts {

  private final DemoOptions options;
  private final WorkDirectory directory;
  private final Class<?> commandLine;
  private final StepSeries series;

  /**
   * @param commandLine main class; its jar knows the version
   */
  DemoFacts(DemoOptions options, WorkDirectory directory, Class<?> commandLine, StepSeries series) {
    this.options = options;
    this.directory = directory;
    this.commandLine = commandLine;
    this.series = series;
  }

  /** The report of a run that reached its end. */
  RunReport of(DemoReport report, int parameters) {
    List<Fact> figures =
        List.of(
            new Fact(
                "Held-out exact match",
                arrow(report.evalRewardBefore(), report.evalRewardAfter()),
                "%d prompts never trained on".formatted(DemoRecipe.HELD_OUT_PROMPTS)),
            reward(report.rewardFirst10(), report.rewardLast10(), report.steps()),
            new Fact(
                "Effective sample size",
                number("%.3f", report.essMean()),
                number("mean; lowest %.3f", report.essMin())),
            new Fact(
                "Staleness",
                number("%.2f", report.stalenessMean()),
                "mean; %d to %d policy versions"
                    .formatted(report.stalenessMin(), report.stalenessMax())),
            new Fact(
                "Throughput",
                number("%,.0f", report.trainedTokensPerSecond()),
                number("tokens/s trained; %,.0f generated", report.generatedTokensPerSecond())),
            new Fact(
                "Time",
                number("%.1f s", report.trainSeconds()),
                number("training; %.1f s in all", report.wallSeconds())));
    List<Fact> facts = new ArrayList<>(identity(report.steps(), report.policyVersion()));
    facts.add(model(parameters));
    facts.add(
        new Fact(
            "weights SHA-256",
            report.weightsSha256(),
            "rebuilt from the snapshots, equal to the ledger"));
    if (report.learnerStarts() > 1) {
      facts.add(
          new Fact(
              "learner starts",
              Integer.toString(report.learnerStarts()),
              "the run was resumed; figures and plots are of all of it"));
    }
    facts.add(new Fact("rollout groups", number("%,d in the log", report.rolloutGroups())));
    facts.add(
        new Fact(
            "groups by producer",
            report.groupsByProducer().entrySet().stream()
                .map(producer -> producer.getKey() + ": " + producer.getValue())
                .collect(Collectors.joining(", "))));
    if (!report.audit().isEmpty()) {
      facts.add(new Fact(AuditText.NAME, AuditText.of(report.audit())));
    }
    return new RunReport("Demo run", lede(), null, figures, facts, series);
  }

  /** The report of a run that ended before its last step. */
  RunReport ofUnfinished(RunStatistics run, String reason, double wallSeconds) {
    String first = reason.lines().findFirst().orElse("");
    List<Fact> figures =
        List.of(
            reward(
                run.rewardOfFirst(DemoReport.rewardSteps(run.stepsPassed())),
                run.rewardOfLast(DemoReport.rewardSteps(run.stepsPassed())),
                run.stepsPassed()),
            new Fact(
                "Effective sample size",
                number("%.3f", run.essMean()),
                number("mean; lowest %.3f", run.essMin())),
            new Fact(
                "Staleness",
                number("%.2f", run.stalenessMean()),
                "mean; %d to %d policy versions".formatted(run.stalenessMin(), run.stalenessMax())),
            new Fact(
                "Time",
                number("%.1f s", run.trainSeconds()),
                number("training; %.1f s in all", wallSeconds)));
    List<Fact> facts = new ArrayList<>(identity(run.stepsPassed(), run.policyVersion()));
    facts.add(model(null));
    facts.add(new Fact("weights SHA-256", run.weightsSha256(), "of the ledger's last event"));
    return new RunReport(
        "Demo run, unfinished",
        lede(),
        "The run ended after %d of %d steps: %s"
            .formatted(run.stepsPassed(), options.steps(), first),
        figures,
        facts,
        series);
  }

  private String lede() {
    return "Reinforcement learning of task %s with %s, %s."
        .formatted(
            task(),
            options.algorithm().toUpperCase(Locale.ROOT),
            DateTimeFormatter.ofPattern("d MMMM uuuu, HH:mm zzz", Locale.ROOT)
                .format(ZonedDateTime.now(ZoneId.systemDefault())));
  }

  private List<Fact> identity(long steps, long policyVersion) {
    return List.of(
        new Fact("command line", command()),
        new Fact("steps", "%d, policy version %d".formatted(steps, policyVersion)),
        new Fact("seed", Long.toString(options.seed())),
        new Fact("algorithm", options.algorithm()),
        new Fact("task", task()),
        new Fact("sampling temperature", Double.toString(options.temperature())),
        new Fact("rollout weights", options.rolloutPrecision()),
        new Fact("producers", Integer.toString(options.producers())),
        new Fact("largest staleness allowed", options.maxStaleness() + " policy versions"),
        new Fact("sync interval", options.syncInterval() + " policy versions"),
        new Fact("hold-back", options.holdBack() + " windows"),
        new Fact("P3O Stream", version()),
        new Fact(
            "Java", System.getProperty("java.version") + ", " + System.getProperty("java.vendor")),
        new Fact(
            "machine",
            "%s %s, %d processors"
                .formatted(
                    System.getProperty("os.name"),
                    System.getProperty("os.arch"),
                    Runtime.getRuntime().availableProcessors())));
  }

  private Fact reward(double first, double last, long steps) {
    return new Fact(
        "Training reward",
        arrow(first, last),
        "means of the first and the last %d steps".formatted(DemoReport.rewardSteps(steps)));
  }

  private Fact model(@Nullable Integer parameters) {
    try {
      JsonNode config =
          new ObjectMapper().readTree(directory.model().resolve("config.json").toFile());
      String size = parameters == null ? "" : number("%,d parameters, ", parameters);
      return new Fact(
          "model",
          "%s, %s%s layers, width %s, vocabulary %s"
              .formatted(
                  config.path("model_type").asText(),
                  size,
                  config.path("num_hidden_layers").asText(),
                  config.path("hidden_size").asText(),
                  config.path("vocab_size").asText()));
    } catch (IOException e) {
      return new Fact("model", "unknown: " + e.getMessage());
    }
  }

  private String command() {
    return options.arguments().stream()
        .map(argument -> argument.matches("[\\w@%+=:,./-]+") ? argument : "'" + argument + "'")
        .collect(Collectors.joining(" ", "./p3o ", ""));
  }

  private String task() {
    return options.task().name().toLowerCase(Locale.ROOT);
  }

  private String version() {
    @Nullable String version = commandLine.getPackage().getImplementationVersion();
    return version == null ? "development build" : version;
  }

  private static String arrow(double before, double after) {
    return String.format(Locale.ROOT, "%.3f → %.3f", before, after);
  }

  private static String number(String format, Object value) {
    return String.format(Locale.ROOT, format, value);
  }
}
