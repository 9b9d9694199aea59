package org.p3ostream.learner.dispatch;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.p3ostream.learner.config.PromptsConfig;

/**
 * The way through the prompts of one data set: a new permutation each epoch. A function of run
 * seed, name and size of the data set, so that other data sets do not bend it.
 */
final class PromptWalk {

  private static final long EPOCH = -2;
  private static final long REPLACEMENT = -1;

  private final long runSeed;
  private final String name;
  private final int size;
  private long permutedEpoch = -1;
  private int[] permutation = new int[0];

  /**
   * @param size prompts of the data set, ≥ 1
   */
  PromptWalk(long runSeed, String name, int size) {
    this.runSeed = runSeed;
    this.name = name;
    this.size = size;
  }

  /**
   * Index of a first attempt's prompt.
   *
   * @param ordinal groups of this data set before it
   */
  int index(long ordinal) {
    long epoch = ordinal / size;
    if (epoch != permutedEpoch) {
      permutation = permute(epoch);
      permutedEpoch = epoch;
    }
    return permutation[(int) (ordinal % size)];
  }

  /** Index of a later attempt's prompt: another one than {@code first}, if there is another. */
  int otherIndex(int first, long groupId, int attempt) {
    if (size == 1) {
      return first;
    }
    long seed = SeedDerivation.derive(runSeed, REPLACEMENT, groupId, attempt);
    int other = new SplittableRandom(seed).nextInt(size - 1);
    return other < first ? other : other + 1;
  }

  private int[] permute(long epoch) {
    int[] order = new int[size];
    Arrays.setAll(order, i -> i);
    SplittableRandom random = new SplittableRandom(epochSeed(epoch));
    for (int i = order.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int swapped = order[i];
      order[i] = order[j];
      order[j] = swapped;
    }
    return order;
  }

  /**
   * Data sets of equal size take different orders. The name of the only data set there used to be
   * stays out, so that runs of that time go on as they began.
   */
  private long epochSeed(long epoch) {
    return name.equals(PromptsConfig.ONLY)
        ? SeedDerivation.derive(runSeed, EPOCH, epoch)
        : SeedDerivation.derive(runSeed, EPOCH, nameSeed(), epoch);
  }

  private long nameSeed() {
    return SeedDerivation.derive(0, name.chars().asLongStream().toArray());
  }
}
