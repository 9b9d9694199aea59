package org.p3ostream.learner.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.batch.WindowPartition;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.Gspo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.learner.replica.ReplicaGroup;
import org.p3ostream.learner.window.RandomWindows;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ContextShards;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepMetrics;

/** Several replicas, and several context shards, do what one does. */
class ReplicasTest {

  private static final int SMALL = 24;
  private static final int ONE_ROW = 1;
  private static final int ALL = 1_000_000;
  private static final double SURE = 1e-3; // temperature at which log-probs lie beyond −100 nats
  private static final OptimizerConfig OPTIMIZER = OptimizerConfig.defaults();
  private static final P3o BY_ROUND = new P3o(EssScope.MICRO_BATCH, KlMode.PROXY_SAFE);

  private static CausalLm model;
  private static CausalLm sharded;
  private static float[] initialWeights;
  private static float[] behaviorWeights; // of every earlier version

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    model = new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32);
    sharded =
        new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32, new ContextShards(3));
    initialWeights = ParameterInitializer.initialize(NanoModel.config(), 5);
    behaviorWeights = ParameterInitializer.initialize(NanoModel.config(), 6);
  }

  @AfterAll
  static void stop() {
    model.close();
    sharded.close();
  }

  static Stream<Objective> objectives() {
    return Stream.of(
        new P3o(), new P3o(EssScope.STEP, KlMode.EXACT), new Grpo(0.2, 0.2), new Gspo(3e-4, 4e-4));
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void aStepIsTheSameForAnyNumberOfReplicasAndShards(Objective objective) {
    Window window = RandomWindows.window(1);
    Outcome one = train(model, objective, 1, SMALL, ALL, window);
    assertThat(one.metrics().getMicroBatches()).isGreaterThan(5);
    for (int replicas : new int[] {1, 2, 3, 4, 20}) {
      for (CausalLm lm : List.of(model, sharded)) {
        Outcome many = train(lm, objective, replicas, SMALL, 100, window);
        String description = replicas + " replicas, " + lm.shards();
        requireSame(many, one, description);
      }
    }
  }

  /** Weights that are not handed on after an update show in the next gradient. */
  @Test
  void everyReplicaHasTheNewWeightsInTheNextStep() {
    Window[] windows = IntStream.range(1, 5).mapToObj(RandomWindows::window).toArray(Window[]::new);
    Outcome one = train(model, new P3o(), 1, SMALL, ALL, windows);
    Outcome three = train(model, new P3o(), 3, SMALL, ALL, windows);
    requireSame(three, one, "after four steps");
    assertThat(relativeDistance(three.weights, one.weights)).isLessThan(1e-5);
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void replicasWithDummiesOnlyChangeNoBit(Objective objective) {
    Window window = RandomWindows.window(2);
    Outcome alone = train(model, objective, 1, ALL, ALL, window);
    Outcome withDummies = train(model, objective, 3, ALL, ALL, window);
    assertThat(alone.metrics().getMicroBatches()).isEqualTo(1);
    assertThat(withDummies.weights).isEqualTo(alone.weights);
    assertThat(withDummies.metrics()).isEqualTo(alone.metrics());
  }

  /** Of the very first step: what is added to a gradient that does not exist yet would be lost. */
  @Test
  void aFirstReplicaWithoutATokenTakesTheGradientsOfTheOthers() {
    List<RolloutGroup> masked = everyOtherMasked(RandomWindows.records(3));
    Window window = RandomWindows.window(masked);
    List<List<MicroBatch>> rounds =
        WindowPartition.cut(0, partitioning(2, ONE_ROW, ALL)).apply(window).rounds();
    assertThat(rounds).allMatch(round -> round.get(0).validTokens() == 0);
    requireSame(
        train(model, new P3o(), 2, ONE_ROW, ALL, window),
        train(model, new P3o(), 1, ONE_ROW, ALL, window),
        "replica 0 masked");
  }

  @Test
  void nothingMovesWhenNoReplicaHasAToken() {
    Window window =
        RandomWindows.window(
            RandomWindows.withResponses(
                RandomWindows.records(8),
                b -> b.setLossMask(Collections.nCopies(b.getTokens().size(), false))));
    Outcome outcome = train(model, new P3o(), 3, SMALL, ALL, window);
    assertThat(outcome.last.metrics()).isNull();
    assertThat(outcome.weights).isEqualTo(initialWeights);
  }

  /** e of a round is that of its micro-batches on all replicas; N is that of the step. */
  @Test
  void microBatchScopePoolsARoundOverItsReplicas() {
    Window window = RandomWindows.window(4);
    for (int replicas : new int[] {1, 2, 3}) {
      try (AdamW optimizer = new AdamW(model, OPTIMIZER, initialWeights);
          WindowPass pass = pass(optimizer, BY_ROUND, false, partitioning(replicas, SMALL, 0))) {
        WindowPass.Result result = pass.run(window);
        int rounds = (result.microBatches() + replicas - 1) / replicas;
        assertThat(result.contexts()).hasSize(rounds);
        double loss = 0;
        for (int round = 0; round < rounds; round++) {
          TokenBatch tokens = result.tokens().ofRound(round);
          StepContext context = result.contexts().get(round);
          double ess = essByDefinition(tokens.logRatios());
          assertThat(context.normalizedEss()).isCloseTo(ess, within(1e-12));
          assertThat(context.validTokens()).isEqualTo(window.validTokens());
          loss += BY_ROUND.evaluate(tokens, context).loss();
        }
        assertThat(result.loss()).isCloseTo(loss, within(1e-12));
        assertThat(result.contexts()).doesNotHaveDuplicates();
      }
    }
  }

  /** Only an ESS of the whole step has to run forward again what it could not keep. */
  @Test
  void onlyStepScopeRunsForwardAgainWhatDoesNotFit() {
    Window window = RandomWindows.window(4);
    for (int replicas : new int[] {1, 3}) {
      int batches = run(new P3o(), window, replicas, 0).microBatches();
      assertThat(run(new P3o(), window, replicas, 0).forwardAgain()).isEqualTo(batches);
      assertThat(run(new P3o(), window, replicas, ALL).forwardAgain()).isZero();
      assertThat(run(new P3o(), window, replicas, 2 * SMALL).forwardAgain())
          .isBetween(1, batches - 2);
      assertThat(run(BY_ROUND, window, replicas, 0).forwardAgain()).isZero();
      assertThat(run(new Grpo(0.2, 0.2), window, replicas, 0).forwardAgain()).isZero();
    }
  }

  @Test
  void aLossThatIsNotFiniteStopsEveryReplicaAndTheNextWindowIsTrainedAsIfAlone() {
    List<RolloutGroup> records = new ArrayList<>(RandomWindows.records(1));
    records.set(2, overflowing(records.get(2)));
    Window bad = RandomWindows.window(records);
    Window good = RandomWindows.window(2);
    for (int replicas = 1; replicas <= 4; replicas++) {
      requireStop(new Grpo(0.2, 0.2), replicas, bad, good, "loss Infinity of micro-batch");
    }
  }

  @Test
  void aLogprobThatIsNotANumberStopsEveryReplica() {
    float[] weights = initialWeights.clone();
    weights[0] = Float.NaN;
    for (Objective objective : List.of(new P3o(), BY_ROUND, new Grpo(0.2, 0.2))) {
      try (AdamW optimizer = new AdamW(model, OPTIMIZER, weights);
          WindowTrainer trainer =
              trainer(model, optimizer, objective, false, partitioning(3, SMALL, 0))) {
        assertThatThrownBy(() -> trainer.train(RandomWindows.window(1), 0, 0))
            .isInstanceOf(NonFiniteUpdateException.class)
            .hasMessageContaining("window 0: ratio statistics")
            .hasMessageContaining("2 at rollouts-0@2");
        assertThat(optimizer.weights()).isEqualTo(weights);
      }
    }
  }

  /** Ratios of exp(±500) next to each other, and nothing but exp(−500). */
  @Test
  void extremeRatiosGiveTheSameFiniteStepOnAnyNumberOfReplicas() {
    List<RolloutGroup> records = RandomWindows.records(1);
    List<RolloutGroup> mixed = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      float shift = i % 2 == 0 ? -500 : 0;
      mixed.addAll(shifted(records.subList(i, i + 1), shift));
    }
    Window overflowing = RandomWindows.window(mixed);
    Outcome one = train(model, new P3o(), 1, SMALL, ALL, overflowing);
    assertThat(one.metrics().getNormalizedEss()).isBetween(0.0, 0.9);
    requireSame(train(model, new P3o(), 3, SMALL, 0, overflowing), one, "exp(500)");

    Window underflowing = onlyUnlikelyTokens(records);
    Outcome fresh = train(model, new P3o(), true, 1, SMALL, ALL, underflowing);
    assertThat(fresh.metrics().getRatioMax()).isLessThan(1e-40);
    assertThat(fresh.metrics().getNormalizedEss()).isLessThan(1e-30); // never "trust everything"
    requireSame(train(model, new P3o(), true, 3, SMALL, 0, underflowing), fresh, "underflow");
  }

  /** A token that the model does not have fails in the engine of one replica alone. */
  @Test
  void aReplicaThatFailsStopsTheWindowByNameAndLeavesNothingBehind() {
    Window window = RandomWindows.window(1);
    Partitioning three = partitioning(3, SMALL, ALL);
    Function<Window, WindowPartition> cut = WindowPartition.cut(0, three);
    boolean[] broken = {true};
    Function<Window, WindowPartition> breaking =
        w -> {
          WindowPartition partition = cut.apply(w);
          if (broken[0]) {
            partition.rounds().get(1).get(2).ids[0] = 999;
          }
          return partition;
        };
    try (WindowEvaluator evaluator =
            new WindowEvaluator(
                model,
                initialWeights,
                StepRecipe.of(new P3o()),
                three,
                breaking,
                ContextRule.Scope.STEP);
        WindowEvaluator whole =
            new WindowEvaluator(model, initialWeights, StepRecipe.of(new P3o()), three)) {
      assertThatThrownBy(() -> evaluator.evaluate(window))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("window 0: replica 2 on cpu() failed")
          .hasMessageContaining("2 at rollouts-0@2");
      broken[0] = false;
      assertThat(evaluator.evaluate(window).gradient())
          .isEqualTo(whole.evaluate(window).gradient());
    }
  }

  /** Nobody goes on while another one is still at work on the arrays of the step. */
  @Test
  void aFailureOfTheFirstReplicaWaitsForTheOthersAndNamesThemToo() {
    Partitioning three = partitioning(3, SMALL, ALL);
    Function<Window, WindowPartition> cut = WindowPartition.cut(0, three);
    Function<Window, WindowPartition> breaking =
        w -> {
          WindowPartition partition = cut.apply(w);
          partition.rounds().get(0).get(0).ids[0] = 999;
          partition.rounds().get(1).get(2).ids[0] = 999;
          return partition;
        };
    try (WindowEvaluator evaluator =
        new WindowEvaluator(
            model,
            initialWeights,
            StepRecipe.of(new P3o()),
            three,
            breaking,
            ContextRule.Scope.STEP)) {
      assertThatThrownBy(() -> evaluator.evaluate(RandomWindows.window(1)))
          .hasMessageContaining("replica 0 on cpu() failed")
          .cause()
          .satisfies(
              first ->
                  assertThat(first.getSuppressed())
                      .singleElement()
                      .satisfies(other -> assertThat(other).hasMessageContaining("replica 2")));
    }
  }

  @Test
  void anInterruptIsKeptForAfterTheStep() {
    Window window = RandomWindows.window(1);
    Outcome undisturbed = train(model, new P3o(), 3, SMALL, ALL, window);
    Thread.currentThread().interrupt();
    Outcome interrupted = train(model, new P3o(), 3, SMALL, ALL, window);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(interrupted.weights).isEqualTo(undisturbed.weights);
  }

  @Test
  void closeEndsTheThreads() throws InterruptedException {
    train(model, new P3o(), 4, SMALL, ALL, RandomWindows.window(1));
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("replica-")) {
        thread.join();
      }
    }
  }

  private static void requireStop(
      Objective objective, int replicas, Window bad, Window good, String what) {
    try (AdamW optimizer = new AdamW(model, OPTIMIZER, initialWeights);
        WindowTrainer trainer =
            trainer(model, optimizer, objective, false, partitioning(replicas, SMALL, ALL))) {
      assertThatThrownBy(() -> trainer.train(bad, 0, 0))
          .isInstanceOf(NonFiniteUpdateException.class)
          .hasMessageContaining("window 0: " + what)
          .hasMessageContaining("2 at rollouts-0@2");
      assertThat(optimizer.weights()).isEqualTo(initialWeights);
      assertThat(optimizer.updates()).isZero();
      trainer.train(good, 0, 0);
      assertThat(optimizer.weights())
          .isEqualTo(train(model, objective, replicas, SMALL, ALL, good).weights);
    }
  }

  /** Its first response alone is valid: rewarded, with a ratio beyond float64. */
  private static RolloutGroup overflowing(RolloutGroup record) {
    List<Response> responses = new ArrayList<>();
    for (Response response : record.getResponses()) {
      boolean first = responses.isEmpty();
      int length = response.getTokens().size();
      responses.add(
          Response.newBuilder(response)
              .setReward(first ? -1 : 0)
              .setBehaviorLogprobs(Collections.nCopies(length, -1000f))
              .setLossMask(Collections.nCopies(length, first))
              .build());
    }
    return RolloutGroup.newBuilder(record).setResponses(responses).build();
  }

  private static List<RolloutGroup> shifted(List<RolloutGroup> records, float nats) {
    return RandomWindows.withResponses(
        records,
        b ->
            b.setBehaviorLogprobs(
                b.getBehaviorLogprobs().stream().map(l -> Math.min(0, l + nats)).toList()));
  }

  /** The tokens that the policy gives less than exp(−100) at a temperature near 0. */
  private static Window onlyUnlikelyTokens(List<RolloutGroup> records) {
    List<RolloutGroup> whole =
        RandomWindows.withResponses(
            records,
            b ->
                b.setLossMask(Collections.nCopies(b.getTokens().size(), true))
                    .setSampling(RolloutGroups.sampling(s -> s.setTemperature(SURE))));
    try (AdamW optimizer = new AdamW(model, OPTIMIZER, initialWeights);
        WindowPass pass = pass(optimizer, new P3o(), true, partitioning(1, SMALL, ALL))) {
      TokenBatch tokens = pass.run(RandomWindows.window(whole)).tokens().asBatch();
      int[] next = {0};
      return RandomWindows.window(
          RandomWindows.withResponses(
              whole,
              b ->
                  b.setLossMask(
                      b.getTokens().stream()
                          .map(token -> tokens.logprob(next[0]++) < -100)
                          .toList())));
    }
  }

  private static List<RolloutGroup> everyOtherMasked(List<RolloutGroup> records) {
    int[] index = {0};
    return RandomWindows.withResponses(
        records,
        b -> b.setLossMask(Collections.nCopies(b.getTokens().size(), index[0]++ % 2 == 1)));
  }

  /** (Σρ)² / (N (Σρ² + 1e-8)) in the paper's own terms. */
  private static double essByDefinition(double[] logRatios) {
    double sum = 0;
    double squares = 0;
    for (double logRatio : logRatios) {
      double ratio = Math.exp(logRatio);
      sum += ratio;
      squares += ratio * ratio;
    }
    return sum * sum / (logRatios.length * (squares + 1e-8));
  }

  private static void requireSame(Outcome found, Outcome expected, String description) {
    StepMetrics a = found.metrics();
    StepMetrics b = expected.metrics();
    assertThat(a.getNormalizedEss())
        .as(description)
        .isCloseTo(b.getNormalizedEss(), within(1e-5 * Math.abs(b.getNormalizedEss())));
    assertThat(a.getLoss())
        .as(description)
        .isCloseTo(b.getLoss(), within(1e-5 * Math.max(1, Math.abs(b.getLoss()))));
    assertThat(a.getGradNorm())
        .as(description)
        .isCloseTo(b.getGradNorm(), within(1e-5 * b.getGradNorm()));
    assertThat(relativeDistance(found.firstMoment, expected.firstMoment))
        .as(description)
        .isLessThan(1e-5);
  }

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
    final TrainedWindow last;
    final float[] weights;
    final float[] firstMoment;

    Outcome(TrainedWindow last, float[] weights, float[] firstMoment) {
      this.last = last;
      this.weights = weights;
      this.firstMoment = firstMoment;
    }

    StepMetrics metrics() {
      return last.metrics();
    }
  }

  private static Outcome train(
      CausalLm lm,
      Objective objective,
      int replicas,
      int microBatchTokens,
      int retainedGraphTokens,
      Window... windows) {
    return train(lm, objective, false, replicas, microBatchTokens, retainedGraphTokens, windows);
  }

  private static Outcome train(
      CausalLm lm,
      Objective objective,
      boolean atSamplingTemperature,
      int replicas,
      int microBatchTokens,
      int retainedGraphTokens,
      Window... windows) {
    try (AdamW optimizer = new AdamW(lm, OPTIMIZER, initialWeights);
        WindowTrainer trainer =
            trainer(
                lm,
                optimizer,
                objective,
                atSamplingTemperature,
                partitioning(replicas, microBatchTokens, retainedGraphTokens))) {
      TrainedWindow last = null;
      for (int step = 0; step < windows.length; step++) {
        last = trainer.train(windows[step], step, 5_000);
      }
      return new Outcome(last, optimizer.weights(), optimizer.state().firstMoment());
    }
  }

  private static WindowTrainer trainer(
      CausalLm lm,
      AdamW optimizer,
      Objective objective,
      boolean atSamplingTemperature,
      Partitioning partitioning) {
    return new WindowTrainer(
        lm,
        optimizer,
        LearningRateSchedule.of(OPTIMIZER),
        recipe(objective, atSamplingTemperature),
        partitioning);
  }

  private static StepRecipe recipe(Objective objective, boolean atSamplingTemperature) {
    return new StepRecipe(
        objective,
        Regularization.NONE,
        atSamplingTemperature,
        false,
        false,
        false,
        version -> behaviorWeights);
  }

  private static WindowPass.Result run(
      Objective objective, Window window, int replicas, int retainedGraphTokens) {
    try (AdamW optimizer = new AdamW(model, OPTIMIZER, initialWeights);
        WindowPass pass =
            pass(optimizer, objective, false, partitioning(replicas, SMALL, retainedGraphTokens))) {
      return pass.run(window);
    }
  }

  private static WindowPass pass(
      AdamW optimizer,
      Objective objective,
      boolean atSamplingTemperature,
      Partitioning partitioning) {
    return new WindowPass(
        new ReplicaGroup(
            model,
            optimizer.parameters(),
            recipe(objective, atSamplingTemperature),
            partitioning.devices()),
        model.shards(),
        WindowPartition.cut(model.config().padTokenId(), partitioning),
        ContextRule.of(objective),
        partitioning.retainedGraphTokens());
  }

  private static Partitioning partitioning(
      int replicas, int microBatchTokens, int retainedGraphTokens) {
    return Partitioning.on(Device.cpu(), replicas, microBatchTokens, retainedGraphTokens);
  }
}
