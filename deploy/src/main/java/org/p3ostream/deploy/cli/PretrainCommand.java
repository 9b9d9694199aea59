package org.p3ostream.deploy.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.evaluation.HeldOutEvaluation;
import org.p3ostream.learner.pretrain.PretrainConfig;
import org.p3ostream.learner.pretrain.Pretrainer;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.TorchRuntime;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code p3o pretrain}. */
@Command(
    name = "pretrain",
    description = "Warm-starts the small model by supervised training on prompts with answers.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
final class PretrainCommand implements Callable<Integer> {

  private static final int EXAMPLES = 50_000;
  private static final int HELD_OUT = 256;
  private static final int MAX_RESPONSE_TOKENS = 12;
  private static final int STEPS_PER_LINE = 50;
  private static final PretrainConfig DEFAULTS = PretrainConfig.defaults();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(names = "--task", description = "Where prompts come from: ${COMPLETION-CANDIDATES}.")
  private SyntheticTask task = SyntheticTask.CSUM8;

  @Option(
      names = "--prompts",
      paramLabel = "FILE",
      showDefaultValue = Visibility.NEVER,
      description = "JSONL with prompt and answer, instead of --task.")
  private @Nullable Path promptFile;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      required = true,
      showDefaultValue = Visibility.NEVER,
      description = "Where the model directory is written.")
  private Path out = Path.of("model");

  @Option(names = "--steps", description = "Optimizer steps.")
  private int steps = DEFAULTS.steps();

  @Option(names = "--batch", description = "Examples of one step.")
  private int batch = DEFAULTS.batchSize();

  @Option(names = "--learning-rate", description = "Peak learning rate.")
  private double learningRate = DEFAULTS.learningRate();

  @Option(names = "--warmup", description = "Steps of linear warm-up.")
  private int warmup = DEFAULTS.warmupSteps();

  @Option(
      names = "--label-noise",
      description = "Probability that a digit of an answer is replaced by a random one.")
  private double labelNoise = DEFAULTS.labelNoise();

  @Option(names = "--seed", description = "Seed of initial weights, order and noise.")
  private long seed = DEFAULTS.seed();

  @Option(names = "--json", description = "Prints the outcome as one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    PretrainConfig config = config();
    if (promptFile != null && spec.commandLine().getParseResult().hasMatchedOption("--task")) {
      throw new ConfigException("--task: cannot be given with --prompts, which takes its place");
    }
    requireFree(out);
    List<PromptExample> prompts =
        promptFile == null ? task.generate(EXAMPLES + HELD_OUT, seed) : PromptFile.read(promptFile);
    int heldOut = Math.min(HELD_OUT, prompts.size() / 10);
    double[] lastLoss = new double[1];
    train(config, prompts.subList(heldOut, prompts.size()), lastLoss);
    report(lastLoss[0], heldOut == 0 ? Double.NaN : exactMatch(prompts.subList(0, heldOut)));
    return ExitCode.DONE;
  }

  private PretrainConfig config() {
    try {
      return new PretrainConfig(steps, batch, learningRate, warmup, labelNoise, seed);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(String.valueOf(e.getMessage()));
    }
  }

  /** Found out before the training, not after it. */
  private static void requireFree(Path directory) {
    String @Nullable [] files = directory.toFile().list();
    if (files == null ? Files.exists(directory) : files.length > 0) {
      throw new ConfigException("--out: " + directory + " must be missing or empty");
    }
  }

  private void train(PretrainConfig config, List<PromptExample> prompts, double[] lastLoss)
      throws IOException {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    Path scratch = Files.createTempDirectory("p3o-pretrain-");
    Path tokenizerJson = scratch.resolve("tokenizer.json");
    NanoModel.copyTokenizer(tokenizerJson);
    try (Tokenizer tokenizer = Tokenizer.load(tokenizerJson)) {
      Pretrainer pretrainer = new Pretrainer(NanoModel.config(), tokenizer, config);
      float[] weights =
          pretrainer.train(
              prompts,
              (step, loss) -> {
                lastLoss[0] = loss;
                show(step, loss);
              });
      ModelDirectory.save(out, NanoModel.config(), weights, tokenizerJson);
    } finally {
      Files.deleteIfExists(tokenizerJson);
      Files.deleteIfExists(scratch);
    }
  }

  private void show(int step, double loss) {
    if (!json && (step % STEPS_PER_LINE == 0 || step == steps)) {
      System.out.printf(Locale.ROOT, "step %d/%d  loss %.4f nats%n", step, steps, loss);
    }
  }

  private double exactMatch(List<PromptExample> heldOut) {
    try (HeldOutEvaluation evaluation = HeldOutEvaluation.open(out, heldOut, MAX_RESPONSE_TOKENS)) {
      return evaluation.exactMatch(ModelDirectory.load(out).weights(), seed);
    }
  }

  private void report(double loss, double exactMatch) throws JsonProcessingException {
    if (json) {
      Map<String, Object> outcome = new LinkedHashMap<>();
      outcome.put("directory", out.toAbsolutePath().toString());
      outcome.put("steps", steps);
      outcome.put("lossNats", loss);
      outcome.put("heldOutExactMatch", exactMatch);
      System.out.println(new ObjectMapper().writeValueAsString(outcome));
    } else {
      System.out.printf(
          Locale.ROOT, "held-out exact match %.3f, sampled at T = 1%n%s%n", exactMatch, out);
    }
  }
}
