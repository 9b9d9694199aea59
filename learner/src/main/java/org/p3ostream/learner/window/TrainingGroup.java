package org.p3ostream.learner.window;

import java.util.List;

/** One admitted rollout group as plain arrays. */
public final class TrainingGroup {
  private final RolloutCoordinate coordinate;
  private final long groupId;
  private final int attempt;
  private final String producerId;
  private final int[] promptTokens;
  private final List<TrainingResponse> responses;
  private final double[] advantages; // [G']
  private final long policyVersion;
  private final long generatedAtMs;
  private final double generationMillis;

  TrainingGroup(
      RolloutCoordinate coordinate,
      long groupId,
      int attempt,
      String producerId,
      int[] promptTokens,
      List<TrainingResponse> responses,
      double[] advantages,
      long policyVersion,
      long generatedAtMs,
      double generationMillis) {
    this.coordinate = coordinate;
    this.groupId = groupId;
    this.attempt = attempt;
    this.producerId = Excerpt.of(producerId, Excerpt.PRODUCER_ID_BYTES);
    this.promptTokens = promptTokens;
    this.responses = List.copyOf(responses);
    this.advantages = advantages;
    this.policyVersion = policyVersion;
    this.generatedAtMs = generatedAtMs;
    this.generationMillis = generationMillis;
  }

  public RolloutCoordinate coordinate() {
    return coordinate;
  }

  public long groupId() {
    return groupId;
  }

  public int attempt() {
    return attempt;
  }

  /** Who sampled it, cut to a bound. */
  public String producerId() {
    return producerId;
  }

  /** [P]; not to be changed. */
  public int[] promptTokens() {
    return promptTokens;
  }

  /** The responses that came to an end, in the order of the record, [G'], 2 ≤ G' ≤ G. */
  public List<TrainingResponse> responses() {
    return responses;
  }

  /** Oldest policy version that sampled a token of the group. */
  public long policyVersion() {
    return policyVersion;
  }

  /** End of generation, milliseconds since the epoch. */
  public long generatedAtMs() {
    return generatedAtMs;
  }

  /**
   * Time spent sampling it, milliseconds, as its producer says: not finite if that is no number.
   */
  public double generationMillis() {
    return generationMillis;
  }

  /** Advantages in response order, [G'], finite; not to be changed. */
  public double[] advantages() {
    return advantages;
  }

  /** Rewards as they were given, in response order, [G']. */
  public double[] rewards() {
    return responses.stream().mapToDouble(TrainingResponse::reward).toArray();
  }
}
