package org.p3ostream.tests.benchmark;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.learner.replica.GraphMemory;
import org.p3ostream.learner.train.FrozenInAdvance;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.serde.RecordTypes;

/**
 * What step-scope ESS costs: whole optimizer steps with the pre-pass against the same steps with e
 * frozen in advance, which need none. The two take turns, so that the machine's moods hit both;
 * figures are medians, and the cost is the median over pairs.
 *
 * <p>Arguments: pairs (default 25), directory of the results (default {@code target}), {@code fits}
 * for only the budget that the whole window fits.
 */
public final class PrePassBenchmark {

  /** 0.85 million parameters. */
  private static final ModelConfig MODEL =
      new ModelConfig(512, 128, 384, 4, 4, 2, 32, 1e-6, 1e4, true, 128, 1, 0);

  private static final int GROUPS = 8;
  private static final int PROMPT_TOKENS = 16;
  private static final int RESPONSE_TOKENS = 48;
  private static final int MICRO_BATCH_TOKENS = 16 * (PROMPT_TOKENS + RESPONSE_TOKENS - 1);
  private static final int WINDOW_TOKENS = 4 * MICRO_BATCH_TOKENS; // 8 groups of 8 responses
  private static final int WARM_UPS = 10;
  private static final double ESS = 0.9; // whatever: the time does not depend on it
  private static final OptimizerConfig OPTIMIZER =
      new OptimizerConfig(1e-9, 0.9, 0.95, 1e-8, 0, 1, 0, 1, 1_000_000);

  /**
   * One line of the table.
   *
   * @param forwardMs one forward pass over a micro-batch, as the pre-pass takes it
   * @param costPercent median over pairs of with / without − 1
   * @param costInForwards extra time per micro-batch run again, in forward passes; NaN if none is
   */
  public record Line(
      String objective,
      int retainedGraphTokens,
      int microBatches,
      int runAgain,
      double withoutMs,
      double withMs,
      double forwardMs,
      double costPercent,
      double costLowerQuartilePercent,
      double costUpperQuartilePercent,
      double costInForwards) {}

  /** All that was measured. */
  public record Report(
      int parameters,
      int windowTokens,
      int pairs,
      String torch,
      String java,
      int processors,
      double exactOverProxy,
      double graphBytesPerToken,
      double nanoGraphBytesPerToken,
      List<Line> lines) {}

  private final CausalLm model;
  private final float[] weights;
  private final Window window;
  private final int pairs;

  private PrePassBenchmark(CausalLm model, float[] weights, Window window, int pairs) {
    this.model = model;
    this.weights = weights;
    this.window = window;
    this.pairs = pairs;
  }

  public static void main(String[] arguments) throws IOException {
    int pairs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 25;
    Path directory = Path.of(arguments.length > 1 ? arguments[1] : "target");
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    RecordTypes.schemas(); // declares the generated classes trusted
    float[] weights = ParameterInitializer.initialize(MODEL, 1);
    Window window = RandomWindow.of(MODEL, GROUPS, PROMPT_TOKENS, RESPONSE_TOKENS, 2);
    try (CausalLm model = new CausalLm(MODEL, Device.cpu(), DataType.FLOAT32)) {
      double[] bytesPerToken = bytesPerToken(model, weights, window);
      System.out.println("bytes per token: " + Arrays.toString(bytesPerToken));
      PrePassBenchmark benchmark = new PrePassBenchmark(model, weights, window, pairs);
      boolean onlyWhatFits = arguments.length > 2 && arguments[2].equals("fits");
      List<Integer> budgets =
          onlyWhatFits
              ? List.of(WINDOW_TOKENS)
              : List.of(WINDOW_TOKENS, WINDOW_TOKENS / 2, MICRO_BATCH_TOKENS, 0);
      write(directory, benchmark.run(budgets, bytesPerToken[0], bytesPerToken[1]));
    }
  }

  /** Of the kept graphs of the benchmark's model, and of the nano model. */
  private static double[] bytesPerToken(CausalLm model, float[] weights, Window window) {
    float[] nanoWeights = ParameterInitializer.initialize(NanoModel.config(), 1);
    Window nanoWindow = RandomWindow.of(NanoModel.config(), 16, 8, 24, 3);
    try (CausalLm nano = new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32);
        GraphMemory ofNano = new GraphMemory(nano, nanoWeights, nanoWindow, 16 * 31);
        GraphMemory ofModel = new GraphMemory(model, weights, window, MICRO_BATCH_TOKENS)) {
      return new double[] {ofModel.bytesPerToken(), ofNano.bytesPerToken()};
    }
  }

  private Report run(List<Integer> budgets, double bytesPerToken, double nanoBytesPerToken) {
    List<Line> lines = new ArrayList<>();
    for (KlMode mode : List.of(KlMode.PROXY, KlMode.EXACT)) {
      for (int budget : budgets) {
        lines.add(line(new P3o(EssScope.STEP, mode), budget));
        System.out.println(lines.get(lines.size() - 1));
      }
    }
    double proxy = lines.get(0).withMs();
    double exact = lines.get(budgets.size()).withMs();
    return new Report(
        model.layout().size(),
        WINDOW_TOKENS,
        pairs,
        TorchRuntime.version(),
        Runtime.version().toString(),
        Runtime.getRuntime().availableProcessors(),
        exact / proxy,
        bytesPerToken,
        nanoBytesPerToken,
        lines);
  }

  private Line line(P3o objective, int retainedGraphTokens) {
    StepRecipe recipe = StepRecipe.of(objective, version -> weights);
    LearningRateSchedule schedule = LearningRateSchedule.of(OPTIMIZER);
    Partitioning partitioning =
        Partitioning.on(Device.cpu(), 1, MICRO_BATCH_TOKENS, retainedGraphTokens);
    double[] without = new double[pairs]; // ms
    double[] with = new double[pairs]; // ms
    int microBatches = 0;
    try (AdamW one = new AdamW(model, OPTIMIZER, weights);
        AdamW other = new AdamW(model, OPTIMIZER, weights);
        WindowTrainer frozen =
            FrozenInAdvance.trainer(model, one, schedule, recipe, partitioning, ESS);
        WindowTrainer measured = new WindowTrainer(model, other, schedule, recipe, partitioning)) {
      for (int i = -WARM_UPS; i < pairs; i++) {
        System.gc(); // outside of what is timed
        boolean frozenFirst = i % 2 == 0;
        double before = frozenFirst ? millis(frozen) : Double.NaN;
        double middle = millis(measured);
        double after = frozenFirst ? before : millis(frozen);
        if (i >= 0) {
          without[i] = after;
          with[i] = middle;
        }
      }
      microBatches = measured.train(window, 0, 0).metrics().getMicroBatches();
    }
    int runAgain = microBatches - retainedGraphTokens / MICRO_BATCH_TOKENS;
    double[] cost = new double[pairs]; // fraction
    double[] extra = new double[pairs]; // ms
    for (int i = 0; i < pairs; i++) {
      cost[i] = with[i] / without[i] - 1;
      extra[i] = with[i] - without[i];
    }
    double forward = forwardMillis(recipe, schedule);
    return new Line(
        objective.id(),
        retainedGraphTokens,
        microBatches,
        runAgain,
        quantile(without, 0.5),
        quantile(with, 0.5),
        forward,
        100 * quantile(cost, 0.5),
        100 * quantile(cost, 0.25),
        100 * quantile(cost, 0.75),
        runAgain == 0 ? Double.NaN : quantile(extra, 0.5) / runAgain / forward);
  }

  private double millis(WindowTrainer trainer) {
    long start = System.nanoTime();
    trainer.train(window, 0, 0);
    return (System.nanoTime() - start) / 1e6;
  }

  /** Of one micro-batch, from pre-passes that keep no graph. */
  private double forwardMillis(StepRecipe recipe, LearningRateSchedule schedule) {
    double[] millis = new double[pairs];
    try (AdamW optimizer = new AdamW(model, OPTIMIZER, weights);
        WindowTrainer trainer =
            new WindowTrainer(
                model,
                optimizer,
                schedule,
                recipe,
                Partitioning.on(Device.cpu(), 1, MICRO_BATCH_TOKENS, 0))) {
      for (int i = 0; i < pairs; i++) {
        TrainedWindow trained = trainer.train(window, 0, 0);
        millis[i] = trained.prePassMillis() / trained.metrics().getMicroBatches();
      }
    }
    return quantile(millis, 0.5);
  }

  private static double quantile(double[] values, double q) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double at = q * (sorted.length - 1);
    int low = (int) at;
    int high = Math.min(low + 1, sorted.length - 1);
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
  }

  private static void write(Path directory, Report report) throws IOException {
    Files.createDirectories(directory);
    new ObjectMapper()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .writeValue(directory.resolve("pre-pass-benchmark.json").toFile(), report);
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            Locale.ROOT,
            "%,d parameters, a window of %,d tokens in micro-batches of %,d, %d interleaved pairs of"
                + " steps, one intra-op thread, torch %s, Java %s.%n%n",
            report.parameters(),
            report.windowTokens(),
            MICRO_BATCH_TOKENS,
            report.pairs(),
            report.torch(),
            report.java()));
    text.append(
            "| objective | graphs kept, tokens | micro-batches run again | step without, ms |"
                + " step with, ms | cost, median of pairs | quartiles | per micro-batch run again |\n")
        .append("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (Line line : report.lines()) {
      text.append(
          String.format(
              Locale.ROOT,
              "| `%s` | %,d | %d of %d | %.1f | %.1f | %+.2f %% | %+.2f to %+.2f %% | %s |%n",
              line.objective(),
              line.retainedGraphTokens(),
              line.runAgain(),
              line.microBatches(),
              line.withoutMs(),
              line.withMs(),
              line.costPercent(),
              line.costLowerQuartilePercent(),
              line.costUpperQuartilePercent(),
              line.runAgain() == 0
                  ? "–"
                  : String.format(Locale.ROOT, "%.2f forward passes", line.costInForwards())));
    }
    text.append(
        String.format(
            Locale.ROOT,
            "%nA step with `exact` takes %.2f times one with `proxy`. Kept graphs take %.0f KB per"
                + " token here and %.0f KB per token of the nano model.%n",
            report.exactOverProxy(),
            report.graphBytesPerToken() / 1000,
            report.nanoGraphBytesPerToken() / 1000));
    Files.writeString(directory.resolve("pre-pass-benchmark.md"), text.toString());
    System.out.println(text);
  }
}
