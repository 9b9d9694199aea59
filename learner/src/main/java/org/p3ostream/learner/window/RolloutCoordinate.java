package org.p3ostream.learner.window;

/**
 * Where a rollout record lies.
 *
 * @param partition partition of `rollouts`
 * @param recordOffset offset of the record
 */
public record RolloutCoordinate(int partition, long recordOffset) {

  @Override
  public String toString() {
    return "rollouts-" + partition + "@" + recordOffset;
  }
}
