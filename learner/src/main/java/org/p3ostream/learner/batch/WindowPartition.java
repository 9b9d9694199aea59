package org.p3ostream.learner.batch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.p3ostream.learner.window.Window;

/**
 * The micro-batches of a window dealt out to replicas: micro-batch i goes to replica i mod R in
 * round i / R. Dummies fill the last round, so that every replica has something in every round.
 *
 * @param rounds [rounds][R], in the order of the window
 * @param microBatches those of the window, dummies not counted
 */
public record WindowPartition(List<List<MicroBatch>> rounds, int microBatches) {

  /** Cuts windows as a partitioning says. */
  public static Function<Window, WindowPartition> cut(int padTokenId, Partitioning partitioning) {
    MicroBatcher batcher = new MicroBatcher(partitioning.microBatchTokens(), padTokenId);
    return window -> of(batcher.cut(window), partitioning.replicas(), MicroBatch::dummy);
  }

  /** Deals out micro-batches in order; {@code dummy} makes what fills the last round. */
  public static WindowPartition of(
      List<MicroBatch> batches, int replicas, Supplier<MicroBatch> dummy) {
    List<List<MicroBatch>> rounds = new ArrayList<>();
    for (int first = 0; first < batches.size(); first += replicas) {
      int last = Math.min(first + replicas, batches.size());
      List<MicroBatch> round = new ArrayList<>(batches.subList(first, last));
      while (round.size() < replicas) {
        round.add(dummy.get());
      }
      rounds.add(List.copyOf(round));
    }
    return new WindowPartition(List.copyOf(rounds), batches.size());
  }

  /** N: valid tokens of all micro-batches. */
  public int validTokens() {
    return rounds.stream().flatMap(List::stream).mapToInt(MicroBatch::validTokens).sum();
  }

  /** What one replica has in some rounds, one micro-batch per round. */
  public List<MicroBatch> of(int replica, int firstRound, int endRound) {
    return rounds.subList(firstRound, endRound).stream().map(round -> round.get(replica)).toList();
  }
}
