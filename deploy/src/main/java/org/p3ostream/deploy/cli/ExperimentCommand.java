package org.p3ostream.deploy.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.experiment.report.StudyReport;
import org.p3ostream.deploy.experiment.run.Experiment;
import org.p3ostream.deploy.experiment.run.ExperimentOptions;
import org.p3ostream.deploy.experiment.run.KeptTopics;
import org.p3ostream.deploy.experiment.table.Study;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code p3o experiment}. */
@Command(
    name = "experiment",
    description = {
      "Runs a study: every scenario of a plan with every algorithm and every seed, on a local broker"
          + " and registry, and reports what came out.",
      "Plans that ship: smoke (minutes), mismatch, mismatch-sort8, mismatch-hot, clip-sensitivity,"
          + " ablation, denominator, lag-sweep."
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:every run passed the execution part of the gate",
      "1:one did not, or the experiment failed",
      "2:wrong usage, plan or configuration"
    })
final class ExperimentCommand implements Callable<Integer> {

  /** Longer than the end of the runs that go on, and of broker and registry. */
  private static final Duration STOP_GRACE = Duration.ofSeconds(100);

  private static final String TERMINAL_PROPERTY = "p3o.terminal";

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      description =
          "Name of a plan that ships, or a YAML file (with --resume: that of the study, if it has"
              + " begun).")
  private @Nullable String plan;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      description = "Where data, results, logs and the report go and stay.")
  private Path out = Path.of("experiment");

  @Option(
      names = "--parallel",
      paramLabel = "N",
      description = "Runs side by side (default: one for each processor).")
  private @Nullable Integer parallel;

  @Option(
      names = "--resume",
      description =
          "Goes on with the study in --out: runs that are over stay, one that was cut short or whose"
              + " execution failed is run again from its beginning.")
  private boolean resume;

  @Option(
      names = "--discard",
      description =
          "With --resume: runs that are over and are of another configuration, because the plan or"
              + " this program has changed, are run again.")
  private boolean discard;

  @Option(
      names = "--keep",
      paramLabel = "WHAT",
      description =
          "What stays of the topics of a run that is over: all, evidence (ledger, rollouts and dead"
              + " letters; without the snapshots, which take the most space) or none (default:"
              + " evidence).")
  private KeptTopics kept = KeptTopics.EVIDENCE;

  @Option(names = "--json", description = "Prints the outcome as one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    PrintStream people = json ? System.err : System.out;
    boolean terminal = !json && Boolean.getBoolean(TERMINAL_PROPERTY);
    Experiment experiment =
        new Experiment(
            new ExperimentOptions(plan, out, parallel, resume, discard, kept),
            RunEnvironment.read(),
            people,
            terminal);
    try (Interruption interruption = new Interruption(experiment::stop, STOP_GRACE)) {
      return report(experiment.run(), experiment.isStopped(), people);
    } catch (ConfigException e) {
      throw e;
    } catch (Exception e) {
      reportWhatThereIs(experiment.study(), e);
      String begun = plan != null && experiment.study() == null ? " --plan " + plan : "";
      throw new IllegalStateException(e.getMessage() + "\np3o: " + howToGoOn() + begun, e);
    }
  }

  /** What goes wrong here must not hide what went wrong before. */
  private void reportWhatThereIs(@Nullable Study study, Exception cause) {
    try {
      if (study != null) {
        StudyReport.write(reportDirectory(), study);
      }
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
    }
  }

  private Path reportDirectory() {
    return out.toAbsolutePath().normalize().resolve("report");
  }

  private int report(Study study, boolean stopped, PrintStream people)
      throws JsonProcessingException {
    Path page = StudyReport.write(reportDirectory(), study);
    people.printf(
        "%d of %d runs are over: %d passed the execution part of the gate, %d both%nreport %s%n",
        study.results().size(), study.plan().runs().size(), study.executed(), study.passed(), page);
    if (stopped) {
      people.println("interrupted; " + howToGoOn());
    }
    if (json) {
      System.out.println(new ObjectMapper().writeValueAsString(outcome(study, page)));
    }
    return study.isComplete() && study.executed() == study.results().size()
        ? ExitCode.DONE
        : ExitCode.FAILED;
  }

  private static Map<String, Object> outcome(Study study, Path page) {
    Map<String, Object> outcome = new LinkedHashMap<>();
    outcome.put("plan", study.plan().name());
    outcome.put("runs", study.plan().runs().size());
    outcome.put("over", study.results().size());
    outcome.put("passedExecution", study.executed());
    outcome.put("passedBoth", study.passed());
    outcome.put(
        "failed",
        study.results().stream()
            .filter(result -> !study.verdict(result).passed())
            .map(result -> Map.of("run", result.id(), "why", study.verdict(result).failures()))
            .toList());
    outcome.put("report", page.toString());
    return outcome;
  }

  private String howToGoOn() {
    return String.format(
        Locale.ROOT, "to go on: ./p3o experiment --out %s --resume", out.toAbsolutePath());
  }
}
