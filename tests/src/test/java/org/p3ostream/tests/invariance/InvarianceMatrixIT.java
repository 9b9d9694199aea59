package org.p3ostream.tests.invariance;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.ndarray.types.DataType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.train.MutantEvaluators;
import org.p3ostream.learner.train.WindowEvaluation;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.learner.window.RolloutCoordinate;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.MutantModels;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.TestRun;

/** ESS, KL, loss and gradient do not depend on how a window is cut up and delivered. */
@ExtendWith(LocalStackExtension.class)
class InvarianceMatrixIT {

  private static InvarianceMatrix matrix;
  private static List<FixedWindow> windows;
  private static final Map<Integer, List<Long>> ARRIVALS = new HashMap<>();

  @BeforeAll
  static void deliver(LocalStack stack, @TempDir Path directory) throws Exception {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    RecordTypes.schemas(); // declares the generated classes trusted
    FixedWindows fixed = new FixedWindows();
    windows = fixed.all();
    RolloutContract contract = fixed.contract(ParameterLayout.of(NanoModel.config()).modelHash());
    WindowRelay relay = new WindowRelay(stack, new TestRun(stack, directory), contract);
    Map<Integer, List<Window>> byPartitions = new HashMap<>();
    for (int partitions : InvarianceMatrix.PARTITIONS) {
      byPartitions.put(partitions, relay.through(partitions, windows));
      ARRIVALS.put(partitions, relay.arrival());
    }
    matrix =
        new InvarianceMatrix(fixed.weights(), windows, direct(contract, windows), byPartitions);
  }

  @Test
  void everyCutGivesTheReference() throws Exception {
    List<Comparison> comparisons = new ArrayList<>();
    for (DataType dtype : List.of(DataType.FLOAT32, DataType.FLOAT64)) {
      comparisons.addAll(
          matrix.compare(dtype, new InvarianceMatrix.Product(), InvarianceMatrix.PARTITIONS));
    }
    MatrixTable.write(Path.of("target"), comparisons);
    assertThat(comparisons).hasSize(864);
    assertThat(comparisons).filteredOn(Comparison::fails).isEmpty();
  }

  @Test
  void theWindowsAreWhatTheTableSays() {
    List<WindowEvaluation> references = matrix.reference(DataType.FLOAT64);
    assertThat(references.get(0).ess()).as("stale").isBetween(0.2, 0.7);
    assertThat(references.get(2).ess()).as("on-policy").isGreaterThan(1 - 1e-8);
    assertThat(ARRIVALS.get(1)).isSorted();
    assertThat(ARRIVALS.get(3)).isNotEqualTo(ARRIVALS.get(1)).hasSameElementsAs(ARRIVALS.get(1));
  }

  static Stream<Mutant> mutants() {
    Predicate<Comparison.Cell> replicated = cell -> cell.replicas() > 1;
    return Stream.of(
        new Mutant(
            "padding taken for tokens",
            new MutantEvaluators.PaddingCounts(),
            cell -> !cell.window().equals("stale") && cell.microBatchTokens() == 1000),
        new Mutant(
            "dummies that carry tokens",
            new MutantEvaluators.LoadedDummies(),
            cell -> replicated.test(cell) && cell.microBatchTokens() == 1000),
        new Mutant(
            "denominators of each replica",
            new MutantEvaluators.DenominatorPerReplica(),
            cell -> replicated.test(cell) && cell.microBatchTokens() == 48),
        new Mutant(
            "a shard's attention mask that forgets its offset",
            new MutantModels.OffsetForgotten(),
            cell -> cell.contextShards() > 1));
  }

  /** What a guard is for shows when it is broken, and only where it matters. */
  @ParameterizedTest
  @MethodSource("mutants")
  void everyMutantTurnsTheMatrixRed(Mutant mutant) {
    List<Comparison> comparisons = matrix.compare(DataType.FLOAT64, mutant.evaluators, List.of(1));
    assertThat(comparisons).hasSize(216);
    assertThat(comparisons)
        .filteredOn(c -> c.quantity().equals("gradient") && mutant.red.test(c.cell()))
        .isNotEmpty()
        .allMatch(Comparison::fails);
  }

  private record Mutant(
      String name, InvarianceMatrix.Evaluators evaluators, Predicate<Comparison.Cell> red) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static List<Window> direct(RolloutContract contract, List<FixedWindow> windows) {
    List<Window> direct = new ArrayList<>();
    for (int index = 0; index < windows.size(); index++) {
      List<TrainingGroup> groups = new ArrayList<>();
      for (RolloutGroup record : windows.get(index).groups()) {
        RolloutCoordinate coordinate = new RolloutCoordinate(0, groups.size());
        RolloutContract.Verdict verdict = contract.check(record, coordinate, 0, 0, false);
        assertThat(verdict).isInstanceOf(RolloutContract.Kept.class);
        groups.add(((RolloutContract.Kept) verdict).group());
      }
      direct.add(new Window(index, groups));
    }
    return direct;
  }
}
