package org.p3ostream.learner.train;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.batch.WindowPartition;
import org.p3ostream.learner.forward.TokenFigures;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.replica.ReplicaException;
import org.p3ostream.learner.replica.ReplicaGroup;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.model.ContextShards;
import org.p3ostream.schemas.ratio.RatioStatistics;

/**
 * Forward and backward over a window by all replicas. Leaves the window's gradient in replica 0;
 * updates nothing.
 *
 * <p>What the {@link ContextRule} needs decides the order. With an ESS of the whole step every
 * micro-batch is run forward before anything is back-propagated, and those whose graphs did not fit
 * are run forward again. Otherwise each round goes forward and backward at once and nothing is run
 * twice.
 */
final class WindowPass implements AutoCloseable {

  /**
   * What a pass found.
   *
   * @param contexts one for all if they are equal, else one per round
   * @param loss as back-propagated, summed over the micro-batches of replica 0, then 1, …
   * @param forwardAgain micro-batches run forward a second time, because their graphs did not fit
   * @param forwardMillis first forward passes and statistics
   * @param backwardMillis losses, backward passes, what was run forward again, the sum over
   *     replicas
   */
  record Result(
      WindowTokens tokens,
      List<StepContext> contexts,
      double loss,
      int microBatches,
      int forwardAgain,
      double forwardMillis,
      double backwardMillis) {}

  private final ReplicaGroup replicas;
  private final ContextShards shards;
  private final Function<Window, WindowPartition> cut;
  private final ContextRule rule;
  private final int retainedGraphTokens;

  /** Takes over {@code replicas}. */
  WindowPass(
      ReplicaGroup replicas,
      ContextShards shards,
      Function<Window, WindowPartition> cut,
      ContextRule rule,
      int retainedGraphTokens) {
    this.replicas = replicas;
    this.shards = shards;
    this.cut = cut;
    this.rule = rule;
    this.retainedGraphTokens = retainedGraphTokens;
  }

  ReplicaGroup replicas() {
    return replicas;
  }

  /**
   * Runs the pass.
   *
   * @param window with a valid token
   * @throws NonFiniteUpdateException if statistics or a loss are not finite; no gradient is left
   * @throws IllegalStateException if a replica failed otherwise; no gradient is left
   */
  Result run(Window window) {
    WindowPartition partition = cut.apply(window);
    Work work = new Work(window, partition);
    try {
      int rounds = partition.rounds().size();
      int step = rule.byRound() ? 1 : rounds;
      for (int first = 0; first < rounds; first += step) {
        work.rounds(first, first + step);
      }
      long start = System.nanoTime();
      replicas.sumGradients();
      work.backwardMillis += millisSince(start);
    } catch (ReplicaException e) {
      replicas.abandon();
      throw new IllegalStateException(
          WindowDescription.of(window, e.getMessage() + "; nothing was published"), e);
    } catch (NonFiniteUpdateException e) {
      replicas.abandon();
      throw e;
    }
    return work.result();
  }

  /** One window in the making. */
  private final class Work {
    private final Window window;
    private final WindowPartition partition;
    private final WindowTokens tokens;
    private final List<StepContext> contexts = new ArrayList<>();
    private final double[] losses = new double[replicas.size()]; // [R]
    private final int forwardAgainBefore = replicas.forwardAgain();
    private double forwardMillis;
    private double backwardMillis;

    Work(Window window, WindowPartition partition) {
      this.window = window;
      this.partition = partition;
      this.tokens = new WindowTokens(partition.validTokens(), shards);
    }

    /** Forward, freeze, backward. */
    void rounds(int first, int end) {
      long start = System.nanoTime();
      int budget = rule.byRound() ? Integer.MAX_VALUE : retainedGraphTokens;
      List<List<@Nullable TokenFigures>> figures = // [R][rounds]
          replicas.all((k, replica) -> replica.forward(partition.of(k, first, end), budget));
      append(figures, first, end);
      RatioStatistics ratios = tokens.ratioStatistics(first, end);
      if (ratios.tokenCount() > 0 && !ratios.isFinite()) {
        throw NonFiniteUpdateException.of(window, "ratio statistics " + ratios);
      }
      List<List<StepContext>> frozen = rule.freeze(tokens, first, end, replicas.size());
      contexts.add(frozen.get(0).get(0));
      forwardMillis += millisSince(start);

      long backwardStart = System.nanoTime();
      List<double[]> found = // [R][rounds]
          replicas.all(
              (k, replica) ->
                  replica.backward(frozen.stream().map(round -> round.get(k)).toList()));
      addLosses(found, first, end);
      backwardMillis += millisSince(backwardStart);
    }

    private void append(List<List<@Nullable TokenFigures>> figures, int first, int end) {
      for (int round = first; round < end; round++) {
        for (int k = 0; k < replicas.size(); k++) {
          TokenFigures found = figures.get(k).get(round - first);
          if (found != null) {
            tokens.append(round, k, partition.rounds().get(round).get(k), found);
          }
        }
      }
    }

    /** All replicas stop on the same loss: the first of the window that is not finite. */
    private void addLosses(List<double[]> found, int first, int end) {
      for (int round = first; round < end; round++) {
        for (int k = 0; k < replicas.size(); k++) {
          double loss = found.get(k)[round - first];
          if (!Double.isFinite(loss)) {
            int microBatch = round * replicas.size() + k;
            throw NonFiniteUpdateException.of(
                window, "loss " + loss + " of micro-batch " + microBatch);
          }
          losses[k] += loss;
        }
      }
    }

    Result result() {
      double loss = 0;
      for (double ofReplica : losses) {
        loss += ofReplica;
      }
      return new Result(
          tokens,
          contexts.stream().distinct().count() == 1
              ? contexts.subList(0, 1)
              : List.copyOf(contexts),
          loss,
          partition.microBatches(),
          replicas.forwardAgain() - forwardAgainBefore,
          forwardMillis,
          backwardMillis);
    }
  }

  private static double millisSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e6;
  }

  @Override
  public void close() {
    replicas.close();
  }
}
