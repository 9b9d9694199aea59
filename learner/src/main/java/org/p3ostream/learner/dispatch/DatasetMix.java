package org.p3ostream.learner.dispatch;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Which data set each group takes its prompt from: a function of the weights, the run seed and the
 * group id.
 *
 * <p>With w_i the weight of data set i over the sum of the weights and c_i(n) its groups among the
 * first n, for every n that is a whole number of windows
 *
 * <pre>  ⌊n·w_i⌋ ≤ c_i(n) ≤ ⌈n·w_i⌉,  hence  |c_i(n) − n·w_i| < 1  </pre>
 *
 * so that any stretch of m groups in whole windows holds m·w_i of them, give or take less than two.
 * (Of the weights as {@link DatasetShares} has them.) Inside a window the order is shuffled:
 * prompts go to partitions by group id, and a pattern of period 2, 4 or 8 would give one producer
 * one data set only.
 *
 * <p>Before the shuffle the bound holds for every n. It is the chairman assignment problem
 * (Tijdeman 1980), solved as a schedule of unit jobs: the j-th group of data set i may be placed
 * once n·w_i > j − 1 and must be by n = j/w_i; of those that may, the one that must be placed first
 * is. Such a schedule exists (between two points of time no more jobs are due than there are
 * places, since the w_i sum up to 1), and earliest deadline first finds it. Taking the data set
 * with the largest deficit n·w_i − c_i instead, as mixers of pre-training corpora do, falls behind
 * by more than one with many data sets.
 */
final class DatasetMix {

  /** Part of the seed of the order inside a window. */
  private static final long ORDER = -3;

  /**
   * What a group takes.
   *
   * @param dataset index of the data set
   * @param ordinal groups of the same data set with a smaller group id
   */
  record Turn(int dataset, long ordinal) {}

  private final long runSeed;
  private final int groupsPerWindow;
  private final long[] shares;
  private final long total;

  /** Groups placed since the pattern last began anew, which it does after {@link #total}. */
  private long placed;

  private final long[] placedOf;
  private long plannedWindow = -1;
  private final Turn[] plan;

  /**
   * @param weights one per data set, finite, > 0
   */
  DatasetMix(long runSeed, List<Double> weights, int groupsPerWindow) {
    this.runSeed = runSeed;
    this.groupsPerWindow = groupsPerWindow;
    this.shares = DatasetShares.of(weights);
    this.total = Arrays.stream(shares).sum();
    this.placedOf = new long[shares.length];
    this.plan = new Turn[groupsPerWindow];
  }

  /** The turn of one group. Ascending windows cost least. */
  Turn turn(long groupId) {
    long window = groupId / groupsPerWindow;
    if (window != plannedWindow) {
      makePlan(window);
      plannedWindow = window;
    }
    return plan[(int) (groupId % groupsPerWindow)];
  }

  private void makePlan(long window) {
    long firstGroup = window * groupsPerWindow;
    moveTo(firstGroup % total);
    long[] ordinals = new long[shares.length];
    for (int i = 0; i < shares.length; i++) {
      ordinals[i] = firstGroup / total * shares[i] + placedOf[i];
    }
    int[] order = new int[groupsPerWindow];
    for (int slot = 0; slot < groupsPerWindow; slot++) {
      order[slot] = place();
    }
    shuffle(order, new SplittableRandom(SeedDerivation.derive(runSeed, ORDER, window)));
    for (int slot = 0; slot < groupsPerWindow; slot++) {
      plan[slot] = new Turn(order[slot], ordinals[order[slot]]++);
    }
  }

  private void moveTo(long position) {
    if (position < placed) {
      beginAnew();
    }
    while (placed < position) {
      place();
    }
  }

  private void beginAnew() {
    placed = 0;
    Arrays.fill(placedOf, 0);
  }

  /** Places one group and returns its data set. */
  private int place() {
    placed++;
    int next = -1;
    for (int i = 0; i < shares.length; i++) {
      boolean mayBePlaced = placed * shares[i] > placedOf[i] * total;
      if (mayBePlaced && (next < 0 || isDueBefore(i, next))) {
        next = i;
      }
    }
    placedOf[next]++;
    if (placed == total) {
      beginAnew(); // every data set has exactly its share
    }
    return next;
  }

  /** Compares (placedOf + 1) / share, the points of time at which the next group is due. */
  private boolean isDueBefore(int i, int other) {
    return (placedOf[i] + 1) * shares[other] < (placedOf[other] + 1) * shares[i];
  }

  private static void shuffle(int[] values, SplittableRandom random) {
    for (int i = values.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swapped = values[i];
      values[i] = values[j];
      values[j] = swapped;
    }
  }
}
