package org.p3ostream.learner.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.batch.MicroBatcher;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.objective.TokenLosses;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.window.RandomWindows;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.ratio.RatioStatistics;

class WindowTrainerTest {

  private static final int SMALL = 24;
  private static final int MEDIUM = 80;
  private static final int ALL = 1_000_000;
  private static final OptimizerConfig OPTIMIZER = OptimizerConfig.defaults();

  private static CausalLm model;
  private static float[] initialWeights;

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    model = new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32);
    initialWeights = ParameterInitializer.initialize(NanoModel.config(), 5);
  }

  @AfterAll
  static void stop() {
    model.close();
  }

  static Stream<Objective> objectives() {
    return Stream.of(new P3o(), new Grpo(0.2, 0.2));
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void trainGivesTheSameBitsForTheSameSetOfGroups(Objective objective) {
    List<RolloutGroup> records = RandomWindows.records(1);
    List<RolloutGroup> shuffled = new ArrayList<>(records);
    Collections.shuffle(shuffled, new Random(3));
    assertThat(shuffled).isNotEqualTo(records);
    Outcome first = train(objective, RandomWindows.window(records), MEDIUM, ALL);
    Outcome second = train(objective, RandomWindows.window(shuffled), MEDIUM, ALL);
    assertThat(second.state.weights()).isEqualTo(first.state.weights());
    assertThat(second.metrics()).isEqualTo(first.metrics());
    assertThat(first.state.weights()).isNotEqualTo(initialWeights);
    assertThat(first.state.updates()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void trainGivesTheSameBitsWhetherGraphsAreKeptOrRunAgain(Objective objective) {
    Window window = RandomWindows.window(2);
    Outcome kept = train(objective, window, SMALL, ALL);
    Outcome rerun = train(objective, window, SMALL, 0);
    Outcome some = train(objective, window, SMALL, 100);
    assertThat(kept.metrics().getMicroBatches()).isGreaterThan(5);
    assertThat(rerun.state.weights()).isEqualTo(kept.state.weights());
    assertThat(some.state.weights()).isEqualTo(kept.state.weights());
    assertThat(rerun.metrics()).isEqualTo(kept.metrics());
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void trainDoesNotDependOnTheCutIntoMicroBatches(Objective objective) {
    for (long seed = 10; seed < 13; seed++) {
      Window window = RandomWindows.window(seed);
      Outcome whole = train(objective, window, ALL, ALL);
      assertThat(whole.metrics().getMicroBatches()).isEqualTo(1);
      for (int budget : new int[] {SMALL, MEDIUM}) {
        Outcome cut = train(objective, window, budget, ALL);
        String description = "seed %d budget %d".formatted(seed, budget);
        assertThat(cut.metrics().getMicroBatches()).as(description).isGreaterThan(1);
        requireSameStep(cut, whole, description);
      }
    }
  }

  /** The first micro-batch alone would have another ESS than the window it belongs to. */
  @Test
  void trainMeasuresTheEssOfTheWholeWindowBeforeAnyBackwardPass() {
    List<RolloutGroup> records = RandomWindows.records(4).subList(0, 2);
    List<RolloutGroup> mixed =
        List.of(
            records.get(0),
            RandomWindows.withResponses(
                    List.of(records.get(1)),
                    b ->
                        b.setBehaviorLogprobs(
                            b.getBehaviorLogprobs().stream().map(l -> 3 * l + 4.5f).toList()))
                .get(0));
    Window window = RandomWindows.window(mixed);
    Window firstAlone = RandomWindows.window(mixed.subList(0, 1));
    Outcome alone = train(new P3o(), firstAlone, SMALL, ALL);
    Outcome whole = train(new P3o(), window, ALL, ALL);
    Outcome cut = train(new P3o(), window, SMALL, ALL);
    assertThat(alone.metrics().getNormalizedEss() - whole.metrics().getNormalizedEss())
        .isGreaterThan(0.1);
    assertThat(cut.metrics().getMicroBatches()).isGreaterThan(1);
    requireSameStep(cut, whole, "cut");
    assertThat(whole.metrics().getNormalizedEss()).isCloseTo(oracle(window).ess, within(1e-6));
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void trainReportsTheFiguresOfTheJavaObjective(Objective objective) {
    Window window = RandomWindows.window(6);
    Outcome outcome = train(objective, window, MEDIUM, ALL);
    Oracle oracle = oracle(window);
    TokenLosses losses =
        objective.evaluate(oracle.tokens, new StepContext(oracle.ess, window.validTokens()));
    StepMetrics metrics = outcome.metrics();
    assertThat(metrics.getValidTokens()).isEqualTo(window.validTokens());
    assertThat(metrics.getNormalizedEss()).isCloseTo(oracle.ess, within(1e-6));
    assertThat(metrics.getLoss()).isCloseTo(losses.loss(), within(1e-6));
    assertThat(metrics.getPolicyLoss()).isCloseTo(losses.policyLoss(), within(1e-6));
    assertThat(metrics.getAdaptiveKlLossMean()).isCloseTo(losses.klLoss(), within(1e-6));
    assertThat(metrics.getLearningRate()).isEqualTo(LearningRateSchedule.of(OPTIMIZER).at(0));
    assertThat(metrics.getGradNorm()).isPositive();
    assertThat(outcome.trained.ratioStatistics()).hasSize(1);
    assertThat(outcome.trained.ratioStatistics().get(0).getTokenCount())
        .isEqualTo(window.validTokens());
  }

  /** Small enough a step against the gradient lowers the loss that is reported. */
  @Test
  void trainLowersTheLossOfTheSameWindow() {
    Window window = RandomWindows.window(7);
    OptimizerConfig slow = new OptimizerConfig(1e-5, 0.9, 0.95, 1e-8, 0, 1e9, 0, 1, 100);
    try (AdamW optimizer = new AdamW(model, slow, initialWeights);
        WindowTrainer trainer = trainer(optimizer, new Grpo(0.2, 0.2), ALL, ALL)) {
      double before = trainer.train(window, 0, 0).metrics().getLoss();
      double after = trainer.train(window, 1, 0).metrics().getLoss();
      assertThat(after).isLessThan(before);
    }
  }

  @Test
  void trainTakesThePolicyAtTheTemperatureItIsTold() {
    Window window =
        RandomWindows.window(
            RandomWindows.withResponses(
                RandomWindows.records(6),
                b -> b.setSampling(RolloutGroups.sampling(s -> s.setTemperature(1e6)))));
    double atOne = train(new P3o(), window, ALL, ALL).metrics().getRatioMean();
    try (AdamW optimizer = new AdamW(model, OPTIMIZER, scaledWeights());
        WindowTrainer hot =
            new WindowTrainer(
                model,
                optimizer,
                LearningRateSchedule.of(OPTIMIZER),
                new StepRecipe(
                    new P3o(),
                    Regularization.NONE,
                    true,
                    false,
                    false,
                    false,
                    StepRecipe.of(new P3o()).weights()),
                Partitioning.on(Device.cpu(), 1, ALL, ALL))) {
      StepMetrics metrics = hot.train(window, 0, 0).metrics();
      double uniform = 0;
      for (double behavior : behaviorLogprobs(window)) {
        uniform += Math.exp(-Math.log(16) - behavior);
      }
      assertThat(metrics.getRatioMean())
          .isCloseTo(uniform / window.validTokens(), within(1e-4))
          .isNotCloseTo(atOne, within(1e-6));
    }
  }

  @Test
  void trainMovesNothingWhenEveryTokenIsMasked() {
    Window window =
        RandomWindows.window(
            RandomWindows.withResponses(
                RandomWindows.records(8),
                b -> b.setLossMask(Collections.nCopies(b.getTokens().size(), false))));
    Outcome outcome = train(new P3o(), window, MEDIUM, ALL);
    assertThat(outcome.trained.metrics()).isNull();
    assertThat(outcome.trained.ratioStatistics()).isEmpty();
    assertThat(outcome.state.weights()).isEqualTo(initialWeights);
    assertThat(outcome.state.updates()).isZero();
  }

  /** One group fully masked, in micro-batches of its own: as if it were not there. */
  @Test
  void trainPassesOverMicroBatchesWithoutAValidToken() {
    List<RolloutGroup> records = RandomWindows.records(9);
    List<RolloutGroup> masked =
        RandomWindows.withResponses(
            records.subList(1, 2),
            b -> b.setLossMask(Collections.nCopies(b.getTokens().size(), false)));
    Window with = RandomWindows.window(List.of(records.get(0), masked.get(0), records.get(2)));
    Window without = RandomWindows.window(List.of(records.get(0), records.get(2)));
    Outcome one = train(new P3o(), with, 1, ALL);
    Outcome other = train(new P3o(), without, 1, ALL);
    assertThat(one.state.weights()).isEqualTo(other.state.weights());
    assertThat(one.metrics().getNormalizedEss()).isEqualTo(other.metrics().getNormalizedEss());
  }

  /** Not in ESS, not in the loss, not in a group's mean and spread, not in the metrics. */
  @ParameterizedTest
  @MethodSource("objectives")
  void trainGivesTheSameBitsAsIfAbortedResponsesWereNotThere(Objective objective) {
    List<RolloutGroup> records = RandomWindows.records(11);
    Window without = RandomWindows.window(records);
    Window with = RandomWindows.window(RandomWindows.withAborted(records, 3));
    Outcome expected = train(objective, without, MEDIUM, ALL);
    Outcome found = train(objective, with, MEDIUM, ALL);
    assertThat(found.state.weights()).isEqualTo(expected.state.weights());
    assertThat(found.metrics()).isEqualTo(expected.metrics());
    assertThat(found.trained.ratioStatistics()).isEqualTo(expected.trained.ratioStatistics());
    assertThat(expected.state.weights()).isNotEqualTo(initialWeights);
  }

  @Test
  void trainStopsBeforeTheUpdateWhenTheLogprobsAreNotFinite() {
    float[] weights = initialWeights.clone();
    weights[0] = Float.NaN;
    requireStop(weights, new P3o(), RandomWindows.window(1), "ratio statistics");
  }

  /** exp(1000 nats) is infinite; with a negative advantage the unclipped branch is taken. */
  @Test
  void trainStopsBeforeTheUpdateWhenTheLossIsNotFinite() {
    List<RolloutGroup> records = new ArrayList<>(RandomWindows.records(1));
    records.set(2, onlyFirstResponse(records.get(2), -1, -1000f));
    requireStop(initialWeights, new Grpo(0.2, 0.2), RandomWindows.window(records), "loss Infinity");
  }

  /** exp(500 nats) is a float64, but not a float32, in which the gradient is. */
  @Test
  void trainStopsBeforeTheUpdateWhenTheGradientIsNotFinite() {
    List<RolloutGroup> records = new ArrayList<>(RandomWindows.records(1));
    records.set(2, onlyFirstResponse(records.get(2), -1, -500f));
    requireStop(initialWeights, new Grpo(0.2, 0.2), RandomWindows.window(records), "gradient norm");
  }

  /** exp(1000 nats) is infinite; where the clip removes it, nothing of it is left. */
  @Test
  void trainGoesOnWhereTheClipRemovesAnInfiniteRatio() {
    List<RolloutGroup> records = new ArrayList<>(RandomWindows.records(1));
    records.set(2, onlyFirstResponse(records.get(2), 1, -1000f));
    Outcome outcome = train(new Grpo(0.2, 0.2), RandomWindows.window(records), MEDIUM, ALL);
    assertThat(outcome.metrics().getLoss()).isFinite();
    assertThat(outcome.metrics().getGradNorm()).isFinite().isPositive();
  }

  /** With P3O, ratios beyond float64 are capped and the step is finite. */
  @Test
  void trainStaysFiniteWithP3oWhenRatiosOverflow() {
    List<RolloutGroup> records =
        RandomWindows.withResponses(
            RandomWindows.records(1),
            b ->
                b.setBehaviorLogprobs(
                    b.getBehaviorLogprobs().stream().map(l -> l < -2.77f ? -503f : l).toList()));
    Outcome outcome = train(new P3o(), RandomWindows.window(records), MEDIUM, ALL);
    assertThat(outcome.metrics().getNormalizedEss()).isBetween(0.0, 1.0);
    assertThat(outcome.metrics().getLoss()).isFinite();
    assertThat(outcome.metrics().getGradNorm()).isFinite();
    for (float weight : outcome.state.weights()) {
      assertThat(Float.isFinite(weight)).isTrue();
    }
  }

  /** The first response is rewarded and valid, the others are neither. */
  private static RolloutGroup onlyFirstResponse(
      RolloutGroup record, double reward, float behaviorLogprob) {
    List<Response> responses = new ArrayList<>();
    for (Response response : record.getResponses()) {
      boolean first = responses.isEmpty();
      int length = response.getTokens().size();
      responses.add(
          Response.newBuilder(response)
              .setReward(first ? reward : 0)
              .setBehaviorLogprobs(Collections.nCopies(length, behaviorLogprob))
              .setLossMask(Collections.nCopies(length, first))
              .build());
    }
    return RolloutGroup.newBuilder(record).setResponses(responses).build();
  }

  /**
   * The window is refused by coordinates, nothing moves, and the next window trains as if alone.
   */
  private static void requireStop(
      float[] weights, Objective objective, Window window, String what) {
    try (AdamW optimizer = new AdamW(model, OPTIMIZER, weights);
        WindowTrainer trainer = trainer(optimizer, objective, SMALL, ALL)) {
      assertThatThrownBy(() -> trainer.train(window, 0, 0))
          .isInstanceOf(NonFiniteUpdateException.class)
          .hasMessageContaining("window 0: " + what)
          .hasMessageContaining("2 at rollouts-0@2");
      assertThat(optimizer.weights()).isEqualTo(weights);
      assertThat(optimizer.updates()).isZero();
      assertThat(optimizer.state().firstMoment()).containsOnly(0f);
      if (Float.isFinite(weights[0])) {
        Window good = RandomWindows.window(2);
        trainer.train(good, 0, 0);
        Outcome fresh = train(objective, good, SMALL, ALL);
        assertThat(optimizer.weights()).isEqualTo(fresh.state.weights());
      }
    }
  }

  private static void requireSameStep(Outcome found, Outcome expected, String description) {
    StepMetrics a = found.metrics();
    StepMetrics b = expected.metrics();
    assertThat(a.getNormalizedEss())
        .as(description)
        .isCloseTo(b.getNormalizedEss(), near(b.getNormalizedEss()));
    assertThat(a.getLoss()).as(description).isCloseTo(b.getLoss(), near(b.getLoss()));
    assertThat(a.getGradNorm()).as(description).isCloseTo(b.getGradNorm(), near(b.getGradNorm()));
    assertThat(relativeDistance(found.state.firstMoment(), expected.state.firstMoment()))
        .as(description)
        .isLessThan(1e-5);
  }

  private static Offset<Double> near(double value) {
    return within(1e-5 * Math.abs(value) + 1e-9);
  }

  /** After one update the first moment is (1 − β1) times the clipped gradient. */
  private static double relativeDistance(float[] found, float[] expected) {
    double difference = 0;
    double norm = 0;
    for (int i = 0; i < found.length; i++) {
      difference += Math.pow((double) found[i] - expected[i], 2);
      norm += Math.pow(expected[i], 2);
    }
    return Math.sqrt(difference / norm);
  }

  private static final class Outcome {
    final TrainedWindow trained;
    final OptimizerState state;

    Outcome(TrainedWindow trained, OptimizerState state) {
      this.trained = trained;
      this.state = state;
    }

    StepMetrics metrics() {
      return trained.metrics();
    }
  }

  private static Outcome train(
      Objective objective, Window window, int microBatchTokens, int retainedGraphTokens) {
    try (AdamW optimizer = new AdamW(model, OPTIMIZER, initialWeights);
        WindowTrainer trainer =
            trainer(optimizer, objective, microBatchTokens, retainedGraphTokens)) {
      TrainedWindow trained = trainer.train(window, 0, 5_000);
      return new Outcome(trained, optimizer.state());
    }
  }

  private static WindowTrainer trainer(
      AdamW optimizer, Objective objective, int microBatchTokens, int retainedGraphTokens) {
    return new WindowTrainer(
        model,
        optimizer,
        LearningRateSchedule.of(OPTIMIZER),
        StepRecipe.of(objective),
        Partitioning.on(Device.cpu(), 1, microBatchTokens, retainedGraphTokens));
  }

  private static final class Oracle {
    final TokenBatch tokens;
    final double ess;

    Oracle(TokenBatch tokens, double ess) {
      this.tokens = tokens;
      this.ess = ess;
    }
  }

  /** One forward pass per response. */
  private static Oracle oracle(Window window) {
    List<Double> logprobs = new ArrayList<>();
    List<Double> behavior = new ArrayList<>();
    List<Double> advantages = new ArrayList<>();
    NDManager manager = model.manager();
    for (MicroBatch batch : new MicroBatcher(1, 0).cut(window)) {
      try (NDScope scope = new NDScope();
          NDArray parameters = model.parameters(initialWeights)) {
        scope.suppressNotUsedWarning();
        if (batch.validTokens() == 0) {
          continue;
        }
        float[] row =
            model
                .tokenLogprobs(
                    parameters,
                    manager.create(batch.ids, new Shape(1, batch.columns)),
                    manager.create(batch.positions),
                    manager.create(batch.targets),
                    1)
                .toFloatArray();
        for (int n = 0; n < row.length; n++) {
          logprobs.add((double) row[n]);
          behavior.add(batch.behaviorLogprobs[n]);
          advantages.add(batch.advantages[n]);
        }
      }
    }
    boolean[] valid = new boolean[logprobs.size()];
    java.util.Arrays.fill(valid, true);
    TokenBatch tokens =
        new TokenBatch(doubles(logprobs), doubles(behavior), doubles(advantages), valid);
    return new Oracle(tokens, RatioStatistics.of(tokens.logRatios(), valid).normalizedEss());
  }

  private static double[] behaviorLogprobs(Window window) {
    List<Double> behavior = new ArrayList<>();
    for (MicroBatch batch : new MicroBatcher(1, 0).cut(window)) {
      for (double logprob : batch.behaviorLogprobs) {
        behavior.add(logprob);
      }
    }
    return doubles(behavior);
  }

  private static float[] scaledWeights() {
    float[] scaled = initialWeights.clone();
    for (int i = 0; i < scaled.length; i++) {
      scaled[i] *= 3;
    }
    return scaled;
  }

  private static double[] doubles(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
