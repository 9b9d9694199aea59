package org.p3ostream.streams.state;

/**
 * What was trained of one producer in a block of {@link #WINDOWS} windows.
 *
 * @param block step / {@link #WINDOWS}
 * @param tokens valid tokens
 * @param stalenessSum sum over these of version being trained − version that sampled the token
 * @param stalenessMax largest of these, policy versions; 0 for no token
 * @param responses responses, aborted ones left out
 * @param rewardSum sum of their rewards
 */
public record TrainedFigures(
    long block,
    long tokens,
    long stalenessSum,
    long stalenessMax,
    long responses,
    double rewardSum) {

  /** Windows of a block. */
  public static final int WINDOWS = 64;

  /** Block of a step. */
  public static long blockOf(long step) {
    return Math.floorDiv(step, WINDOWS);
  }

  /** Of both, as the newer block. */
  public TrainedFigures plus(TrainedFigures other) {
    return new TrainedFigures(
        Math.max(block, other.block),
        tokens + other.tokens,
        stalenessSum + other.stalenessSum,
        tokens == 0
            ? other.stalenessMax
            : other.tokens == 0 ? stalenessMax : Math.max(stalenessMax, other.stalenessMax),
        responses + other.responses,
        rewardSum + other.rewardSum);
  }
}
