package org.p3ostream.learner.train;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.batch.MicroBatcher;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.batch.WindowPartition;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.tests.invariance.InvarianceMatrix;

/** Evaluations with one guard broken. */
public final class MutantEvaluators {

  private MutantEvaluators() {}

  /** The last column of every row counts as a token, also where it is padding. */
  public static final class PaddingCounts extends InvarianceMatrix.Product {
    @Override
    public WindowEvaluator evaluator(CausalLm model, float[] weights, Partitioning partitioning) {
      MicroBatcher batcher =
          new MicroBatcher(partitioning.microBatchTokens(), model.config().padTokenId());
      return mutant(
          model,
          weights,
          partitioning,
          window ->
              WindowPartition.of(
                  batcher.cut(window).stream().map(PaddingCounts::unmasked).toList(),
                  partitioning.replicas(),
                  MicroBatch::dummy),
          ContextRule.Scope.STEP);
    }

    private static MicroBatch unmasked(MicroBatch batch) {
      long[] last = // [M], positions
          LongStream.range(0, batch.rows)
              .map(b -> (b + 1) * batch.columns - 1)
              .filter(p -> Arrays.stream(batch.positions).noneMatch(known -> known == p))
              .toArray();
      int[] rows = Arrays.stream(last).mapToInt(p -> (int) (p / batch.columns)).toArray();
      return new MicroBatch(
          batch.rows,
          batch.columns,
          batch.responses,
          batch.producerIds,
          batch.ids,
          LongStream.concat(Arrays.stream(batch.positions), Arrays.stream(last)).toArray(),
          LongStream.concat(
                  Arrays.stream(batch.targets), LongStream.generate(() -> 0).limit(last.length))
              .toArray(),
          IntStream.concat(Arrays.stream(batch.sequences), Arrays.stream(rows)).toArray(),
          DoubleStream.concat(
                  Arrays.stream(batch.behaviorLogprobs),
                  DoubleStream.generate(() -> -1).limit(last.length))
              .toArray(),
          DoubleStream.concat(
                  Arrays.stream(batch.advantages),
                  DoubleStream.generate(() -> 1).limit(last.length))
              .toArray(),
          LongStream.concat(
                  Arrays.stream(batch.policyVersions), LongStream.of(new long[last.length]))
              .toArray());
    }
  }

  /** A dummy has one row of one token. */
  public static final class LoadedDummies extends InvarianceMatrix.Product {
    @Override
    public WindowEvaluator evaluator(CausalLm model, float[] weights, Partitioning partitioning) {
      MicroBatcher batcher =
          new MicroBatcher(partitioning.microBatchTokens(), model.config().padTokenId());
      return mutant(
          model,
          weights,
          partitioning,
          window -> {
            List<MicroBatch> batches = batcher.cut(window);
            return WindowPartition.of(
                batches, partitioning.replicas(), () -> loaded(batches.get(0)));
          },
          ContextRule.Scope.STEP);
    }

    private static MicroBatch loaded(MicroBatch like) {
      return new MicroBatch(
          1,
          1,
          like.responses.subList(0, 1),
          like.producerIds.subList(0, 1),
          new long[] {1},
          new long[] {0},
          new long[] {2},
          new int[] {0},
          new double[] {-1},
          new double[] {1},
          new long[] {0});
    }
  }

  /** Every replica divides by its own tokens. */
  public static final class DenominatorPerReplica extends InvarianceMatrix.Product {
    @Override
    public WindowEvaluator evaluator(CausalLm model, float[] weights, Partitioning partitioning) {
      Function<Window, WindowPartition> cut =
          WindowPartition.cut(model.config().padTokenId(), partitioning);
      OwnTokens rule = new OwnTokens();
      return mutant(
          model,
          weights,
          partitioning,
          window -> {
            rule.partition = cut.apply(window);
            return rule.partition;
          },
          rule);
    }
  }

  private static final class OwnTokens implements ContextRule {
    private WindowPartition partition = new WindowPartition(List.of(), 0);

    @Override
    public boolean byRound() {
      return false;
    }

    @Override
    public List<List<StepContext>> freeze(
        WindowTokens tokens, int firstRound, int endRound, int replicas) {
      double ess = tokens.ratioStatistics().normalizedEss();
      List<StepContext> ofReplicas = new ArrayList<>();
      for (int k = 0; k < replicas; k++) {
        int own =
            partition.of(k, firstRound, endRound).stream().mapToInt(MicroBatch::validTokens).sum();
        ofReplicas.add(new StepContext(ess, Math.max(1, own)));
      }
      return Collections.nCopies(endRound - firstRound, ofReplicas);
    }
  }

  private static WindowEvaluator mutant(
      CausalLm model,
      float[] weights,
      Partitioning partitioning,
      Function<Window, WindowPartition> cut,
      ContextRule rule) {
    return new WindowEvaluator(model, weights, StepRecipe.of(new P3o()), partitioning, cut, rule);
  }
}
