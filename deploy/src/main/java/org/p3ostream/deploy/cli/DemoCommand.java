package org.p3ostream.deploy.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.demo.Demo;
import org.p3ostream.deploy.demo.DemoOptions;
import org.p3ostream.learner.task.SyntheticTask;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code p3o demo}. */
@Command(
    name = "demo",
    description =
        "Trains a small model by reinforcement learning through a local Kafka broker and schema"
            + " registry, and reports what happened.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
final class DemoCommand implements Callable<Integer> {

  /** Set by the script if standard output is a terminal. */
  static final String TERMINAL_PROPERTY = "p3o.terminal";

  private static final String DEFAULT_REPORT = "demo-report";

  private static final Duration STOP_GRACE = Duration.ofSeconds(40);

  @Option(names = "--steps", description = "Optimizer steps.")
  private long steps = 150;

  @Option(names = "--seed", description = "Seed of prompts and sampling.")
  private long seed = 42;

  @Option(
      names = "--algorithm",
      description = "p3o, grpo, ppo, dapo, cispo, gspo, tis or decoupled-ppo.")
  private String algorithm = "p3o";

  @Option(names = "--temperature", description = "Sampling temperature of the rollouts.")
  private double temperature = 1.0;

  @Option(
      names = "--rollout-precision",
      description =
          "What weights are rounded to before they sample, a mismatch to study: float32 (not at"
              + " all), fp8, int8 or int4.")
  private String rolloutPrecision = "float32";

  @Option(names = "--producers", description = "Rollout producer processes.")
  private int producers = 1;

  @Option(
      names = "--max-staleness",
      description =
          "Windows that are sampled ahead: how many policy versions old a token may be, less"
              + " --sync-interval - 1.")
  private int maxStaleness = 1;

  @Option(
      names = "--sync-interval",
      description = "Prompts ask for the newest policy version that is a multiple of this.")
  private int syncInterval = 1;

  @Option(
      names = "--hold-back",
      description =
          "Complete windows that must lie in the topic behind the one that is trained; at most"
              + " --max-staleness.")
  private int holdBack = 0;

  @Option(
      names = "--task",
      description =
          "What to learn: ${COMPLETION-CANDIDATES}. csum8 continues eight digits by their running"
              + " sums modulo 10 (12345678= by 13605186), sort8 sorts them.")
  private SyntheticTask task = SyntheticTask.CSUM8;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "Where data and logs go and stay (default: a temporary directory).")
  private @Nullable Path workDirectory;

  @Option(
      names = "--resume",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "Goes on with the run in --work-dir, whether it ended or was killed, up to --steps (default:"
              + " as many as it was asked for last). What else is not given is as it was.")
  private boolean resume;

  @Option(
      names = "--report-json",
      paramLabel = "FILE",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "Writes the report as JSON.")
  private @Nullable Path reportFile;

  /** Where the report goes. */
  private static final class ReportPlace {

    @Option(
        names = "--report",
        paramLabel = "DIR",
        showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
        description =
            "Where report.html, with plots, and steps.csv are written (default: "
                + DEFAULT_REPORT
                + ").")
    private @Nullable Path directory = Path.of(DEFAULT_REPORT);

    @Option(
        names = "--no-report",
        showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
        description = "Writes no report.")
    private boolean none;
  }

  @ArgGroup private ReportPlace reportPlace = new ReportPlace();

  @Option(
      names = "--port",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description = "Port of the live view on the loopback interface (default: a free one).")
  private int port;

  @Spec private @Nullable CommandSpec spec;

  @Option(
      names = "--keep-serving",
      description = "Keeps broker, registry and metrics up after training, until interrupted.")
  private boolean keepServing;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
      description =
          "Overrides one value of the configuration of all roles, for instance"
              + " optimizer.learningRate=5e-4. Repeatable.")
  private List<String> overrides = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    boolean terminal = Boolean.getBoolean(TERMINAL_PROPERTY);
    Demo demo = new Demo(options(), P3o.class, terminal);
    try (Interruption interruption = new Interruption(demo::stop, STOP_GRACE);
        demo) { // closed first, so that an interruption waits for it
      return run(demo);
    }
  }

  private int run(Demo demo) throws Exception {
    try {
      demo.run();
      return ExitCode.DONE;
    } catch (ConfigException e) {
      throw e;
    } catch (Exception e) {
      if (demo.isClosed()) {
        if (workDirectory != null && spec != null) {
          spec.commandLine().getErr().println("p3o: " + demo.whatIsLeft());
          spec.commandLine().getErr().flush();
        }
        return ExitCode.FAILED; // unseen: the JVM is going down by the signal that closed the demo
      }
      throw new IllegalStateException(e.getMessage() + "\np3o: " + demo.whatIsLeft(), e);
    }
  }

  private DemoOptions options() {
    return new DemoOptions(
        steps,
        seed,
        algorithm,
        temperature,
        rolloutPrecision,
        producers,
        maxStaleness,
        syncInterval,
        holdBack,
        task,
        workDirectory == null ? null : workDirectory.toAbsolutePath(),
        reportFile,
        keepServing,
        reportPlace.none ? null : reportPlace.directory,
        port,
        arguments(),
        overrides,
        resume,
        typed());
  }

  /** Names of the options that were typed. */
  private Set<String> typed() {
    return Objects.requireNonNull(spec).commandLine().getParseResult().matchedOptions().stream()
        .map(OptionSpec::longestName)
        .collect(Collectors.toSet());
  }

  /** The command line as it was typed. */
  private List<String> arguments() {
    CommandLine root = Objects.requireNonNull(spec).commandLine().getParent();
    return root == null ? List.of() : root.getParseResult().originalArgs();
  }
}
