package org.p3ostream.deploy.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.loss.LossRun;
import org.p3ostream.learner.config.Algorithm;
import org.p3ostream.learner.config.AlgorithmConfig;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code p3o loss}. */
@Command(
    name = "loss",
    description =
        "Evaluates an objective on the log-probs of a file: ESS, cap, loss and gradient, as the"
            + " learner would, and what looks wrong with them.",
    mixinStandardHelpOptions = true,
    footer = {
      "",
      "The file holds one optimizer step: {\"micro_batches\": [[TOKEN, ...], ...]}, or one list of"
          + " tokens per line.",
      "TOKEN: {\"logprob\", \"behavior_logprob\", \"advantage\"}, and if need be \"mask\" (0 leaves"
          + " it out), \"response\" (number of its response within the micro-batch; without it a"
          + " micro-batch is one), \"staleness\" (policy versions), \"proximal_logprob\". nats."
    })
final class LossCommand implements Callable<Integer> {

  private static final Path STANDARD_INPUT = Path.of("-");
  private static final Pattern KEY = Pattern.compile("^algorithm\\.(\\w+)");

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--input",
      paramLabel = "FILE",
      required = true,
      description = "JSON or JSONL; - for standard input.")
  private Path input = STANDARD_INPUT;

  @Option(
      names = "--algorithm",
      paramLabel = "NAME",
      converter = SpellingConverter.OfAlgorithm.class,
      description =
          "p3o, grpo, ppo, dapo, cispo, gspo, tis or decoupled-ppo (default: p3o). Options that are"
              + " not given take its defaults.")
  private Algorithm algorithm = Algorithm.P3O;

  @Option(
      names = "--ess-scope",
      paramLabel = "SCOPE",
      converter = SpellingConverter.OfEssScope.class,
      description = "p3o: step or micro-batch (default: step).")
  private @Nullable EssScope essScope;

  @Option(
      names = "--kl-mode",
      paramLabel = "MODE",
      converter = SpellingConverter.OfKlMode.class,
      description =
          "p3o: proxy, proxy-safe or none (default: proxy, since exact, the learner's default, needs"
              + " the whole vocabulary).")
  private @Nullable KlMode klMode;

  @Option(names = "--clip-low", paramLabel = "EPS", description = "Clips the ratio at 1 - EPS.")
  private @Nullable Double clipLow;

  @Option(names = "--clip-high", paramLabel = "EPS", description = "Clips the ratio at 1 + EPS.")
  private @Nullable Double clipHigh;

  @Option(
      names = "--dual-clip",
      paramLabel = "C",
      description = "ppo: bounds the ratio where the advantage is negative.")
  private @Nullable Double dualClip;

  @Option(
      names = "--importance-cap",
      paramLabel = "C",
      description = "tis, decoupled-ppo: truncates the ratio to the behaviour policy.")
  private @Nullable Double importanceCap;

  @Option(names = "--engine", paramLabel = "NAME", description = "java or torch (default: java).")
  private LossRun.Engine engine = LossRun.Engine.JAVA;

  @Option(
      names = "--precision",
      paramLabel = "TYPE",
      description = "torch: float32 or float64 log-probs (default: float64).")
  private LossRun.@Nullable Precision precision;

  @Option(names = "--json", description = "One JSON object, with the figures of every token.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    LossRun run = new LossRun(objective(), engine, precision());
    if (input.equals(STANDARD_INPUT)) {
      run.run("standard input", System.in, json, spec.commandLine().getOut());
      return ExitCode.DONE;
    }
    if (!Files.isReadable(input) || Files.isDirectory(input)) {
      throw new ConfigException("--input: " + input + " must be a file that can be read");
    }
    try (InputStream in = Files.newInputStream(input)) {
      run.run(input.toString(), in, json, spec.commandLine().getOut());
    }
    return ExitCode.DONE;
  }

  private LossRun.Precision precision() {
    if (precision != null && engine == LossRun.Engine.JAVA) {
      throw new ConfigException(
          "--precision: "
              + precision.name().toLowerCase(Locale.ROOT)
              + " has no meaning for the java engine: it computes in float64");
    }
    return precision == null ? LossRun.Precision.FLOAT64 : precision;
  }

  private Objective objective() {
    if (klMode == KlMode.EXACT) {
      throw new ConfigException(
          "--kl-mode: exact must be proxy, proxy-safe or none: the log-prob of one token does not tell"
              + " the full vocabulary");
    }
    try {
      AlgorithmConfig standard = AlgorithmConfig.of(algorithm);
      return new AlgorithmConfig(
              algorithm,
              essScope,
              klMode == null && algorithm == Algorithm.P3O ? KlMode.PROXY : klMode,
              null,
              clipLow,
              clipHigh,
              dualClip,
              importanceCap,
              standard.advantage(),
              standard.referenceKl(),
              standard.entropy(),
              standard.overlongBuffer(),
              standard.overlongPenalty(),
              standard.dropZeroVariance(),
              standard.dynamicSamplingAttempts(),
              standard.correction(),
              standard.critic(),
              standard.normalization())
          .objective();
    } catch (IllegalArgumentException e) {
      throw new ConfigException(asOption(String.valueOf(e.getMessage())));
    }
  }

  /** The configuration's clipLow is --clip-low here. */
  private static String asOption(String message) {
    return KEY.matcher(message)
        .replaceFirst(
            key -> "--" + key.group(1).replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
  }
}
