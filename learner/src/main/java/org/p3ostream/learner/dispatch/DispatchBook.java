package org.p3ostream.learner.dispatch;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which groups were dispatched and not yet trained: the latest attempt of each and the policy
 * version it was asked to be sampled by. A later attempt keeps the version of the first, so that a
 * replacement is no fresher than what it replaces.
 */
public final class DispatchBook {

  /**
   * A dispatched group.
   *
   * @param attempt latest attempt
   * @param policyVersion version asked for
   */
  public record Dispatched(int attempt, long policyVersion) {}

  private final TreeMap<Long, Dispatched> open = new TreeMap<>();
  private long nextGroupId;

  /**
   * Notes a dispatch.
   *
   * @throws IllegalStateException if a group is dispatched out of order or an attempt does not
   *     follow the previous one
   */
  public void dispatch(long groupId, int attempt, long policyVersion) {
    Dispatched previous = open.get(groupId);
    if (previous != null && attempt == previous.attempt() + 1) {
      open.put(groupId, new Dispatched(attempt, previous.policyVersion()));
    } else if (previous == null && groupId == nextGroupId && attempt == 0) {
      open.put(groupId, new Dispatched(0, policyVersion));
      nextGroupId++;
    } else {
      throw new IllegalStateException(
          "group %d attempt %d does not follow %s; next new group is %d"
              .formatted(groupId, attempt, previous, nextGroupId));
    }
  }

  /** What is open for a group; null if it was never dispatched or is settled. */
  public @Nullable Dispatched find(long groupId) {
    return open.get(groupId);
  }

  /** Closes all groups below {@code groupId}: their windows were trained or passed. */
  public void settleBelow(long groupId) {
    open.headMap(groupId).clear();
  }

  /** First group id that was never dispatched. */
  public long nextGroupId() {
    return nextGroupId;
  }

  /** Oldest version that an open group asks for; {@code otherwise} if it is older, or none does. */
  public long oldestVersion(long otherwise) {
    return open.values().stream().mapToLong(Dispatched::policyVersion).reduce(otherwise, Math::min);
  }

  /** Groups dispatched and not settled. */
  public int openGroups() {
    return open.size();
  }
}
