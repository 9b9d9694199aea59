package org.p3ostream.learner.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.forward.BehaviorWeights;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.learner.window.RandomWindows;
import org.p3ostream.learner.window.RolloutGroups;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionSegment;

/** A step with the exact KL: the same however the work is cut, and not at all without snapshots. */
class ExactKlStepTest {

  private static final P3o EXACT = new P3o(EssScope.STEP, KlMode.EXACT);
  private static final OptimizerConfig OPTIMIZER = OptimizerConfig.defaults();
  private static final int SMALL = 24;
  private static final int ALL = 1_000_000;

  private static CausalLm model;

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    model = new CausalLm(NanoModel.config(), Device.cpu(), DataType.FLOAT32);
  }

  @AfterAll
  static void stop() {
    model.close();
  }

  private static float[] weights(long version) {
    return ParameterInitializer.initialize(NanoModel.config(), 60 + version);
  }

  /** Groups of three versions, one response of two, some sampled with filters. */
  private static Window window() {
    List<RolloutGroup> records = new ArrayList<>(RandomWindows.records(21));
    for (int i = 0; i < records.size(); i++) {
      long version = 1 + i % 3;
      int filtered = i;
      records.set(
          i,
          RandomWindows.withResponses(
                  List.of(records.get(i)),
                  response ->
                      response
                          .setPolicyVersion(version)
                          .setVersionSegments(
                              version == 2 && response.getTokens().size() > 2
                                  ? List.of(new VersionSegment(0, 2L), new VersionSegment(2, 3L))
                                  : List.of(new VersionSegment(0, version)))
                          .setSampling(
                              RolloutGroups.sampling(
                                  sampling ->
                                      sampling
                                          .setTemperature(0.8)
                                          .setTopK(filtered % 2 == 0 ? 5 : 0))))
              .get(0));
    }
    return RandomWindows.window(records);
  }

  private record Outcome(StepMetrics metrics, List<Float> weights) {}

  private static Outcome train(int replicas, int budget, int retained, BehaviorWeights versions) {
    return train(replicas, budget, retained, StepRecipe.of(EXACT, versions));
  }

  private static Outcome train(int replicas, int budget, int retained, StepRecipe recipe) {
    try (AdamW optimizer = new AdamW(model, OPTIMIZER, weights(9));
        WindowTrainer trainer =
            new WindowTrainer(
                model,
                optimizer,
                LearningRateSchedule.of(OPTIMIZER),
                recipe,
                Partitioning.on(Device.cpu(), replicas, budget, retained))) {
      StepMetrics metrics = trainer.train(window(), 4, 0).metrics();
      List<Float> updated = new ArrayList<>();
      for (float weight : optimizer.weights()) {
        updated.add(weight);
      }
      return new Outcome(metrics, updated);
    }
  }

  @Test
  void aStepIsTheSameForEveryPartitionAndAgain() {
    Set<Long> asked = new ConcurrentSkipListSet<>();
    BehaviorWeights versions =
        version -> {
          asked.add(version);
          return weights(version);
        };
    Outcome whole = train(1, ALL, ALL, versions);
    assertThat(asked).containsExactly(1L, 2L, 3L);
    assertThat(whole.metrics.getBehaviorKlExactMean()).isPositive();
    assertThat(whole.metrics.getKeptSetMismatches()).isPositive(); // the tokens are random
    assertThat(train(1, ALL, ALL, versions)).isEqualTo(whole);
    for (int replicas : new int[] {1, 2, 3}) {
      for (int retained : new int[] {0, ALL}) {
        Outcome cut = train(replicas, SMALL, retained, versions);
        assertThat(cut.metrics.getMicroBatches()).isGreaterThan(3);
        requireSame(cut, whole);
      }
    }
  }

  /** Some responses are sampled with filters, others not; two micro-batches are run again. */
  @Test
  void theKlThatIsOnlyMeasuredIsTheExactOneAndMovesNoBitOfTheWeights() {
    StepMetrics exact = train(1, ALL, ALL, ExactKlStepTest::weights).metrics();
    for (Objective objective : List.of(new Grpo(0.2, 0.2), new P3o())) {
      for (int retained : new int[] {0, ALL}) {
        Outcome without = train(1, SMALL, retained, recipe(objective, false));
        Outcome measured = train(1, SMALL, retained, recipe(objective, true));
        assertThat(measured.weights).isEqualTo(without.weights);
        assertThat(measured.metrics.getLoss()).isEqualTo(without.metrics.getLoss());
        assertThat(measured.metrics.getGradNorm()).isEqualTo(without.metrics.getGradNorm());
        assertThat(without.metrics.getBehaviorKlExactMean()).isNull();
        assertThat(measured.metrics.getBehaviorKlExactMean())
            .isCloseTo(exact.getBehaviorKlExactMean(), within(1e-5));
        assertThat(measured.metrics.getBehaviorKlExactMax())
            .isCloseTo(exact.getBehaviorKlExactMax(), within(1e-5));
      }
    }
  }

  private static StepRecipe recipe(Objective objective, boolean measuredKl) {
    return new StepRecipe(
        objective, Regularization.NONE, false, false, false, measuredKl, ExactKlStepTest::weights);
  }

  private static void requireSame(Outcome cut, Outcome whole) {
    StepMetrics actual = cut.metrics;
    StepMetrics expected = whole.metrics;
    assertThat(actual.getNormalizedEss()).isCloseTo(expected.getNormalizedEss(), within(1e-5));
    assertThat(actual.getLoss()).isCloseTo(expected.getLoss(), within(1e-5));
    assertThat(actual.getBehaviorKlExactMean())
        .isCloseTo(expected.getBehaviorKlExactMean(), within(1e-5));
    assertThat(actual.getBehaviorKlExactMax())
        .isCloseTo(expected.getBehaviorKlExactMax(), within(1e-5));
    assertThat(actual.getGradNorm())
        .isCloseTo(expected.getGradNorm(), within(1e-5 * expected.getGradNorm()));
    assertThat(actual.getKeptSetMismatches()).isEqualTo(expected.getKeptSetMismatches());
  }

  /** Whichever replica finds it missing; the weights stay, and the message names the version. */
  @Test
  void aStepWithoutASnapshotMovesNothing() {
    BehaviorWeights withoutThree =
        version -> {
          if (version == 3) {
            throw new BehaviorSnapshotMissingException(version, "trimmed");
          }
          return weights(version);
        };
    for (int replicas : new int[] {1, 3}) {
      try (AdamW optimizer = new AdamW(model, OPTIMIZER, weights(9));
          WindowTrainer trainer =
              new WindowTrainer(
                  model,
                  optimizer,
                  LearningRateSchedule.of(OPTIMIZER),
                  StepRecipe.of(EXACT, withoutThree),
                  Partitioning.on(Device.cpu(), replicas, SMALL, ALL))) {
        Window window = window();
        assertThatThrownBy(() -> trainer.train(window, 4, 0))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("window 0")
            .hasMessageContaining("BEHAVIOUR_SNAPSHOT_MISSING: version 3: trimmed")
            .hasMessageContaining("nothing was published");
        assertThat(optimizer.weights()).isEqualTo(weights(9));
        assertThat(optimizer.state().updates()).isZero();
      }
    }
  }
}
