package org.p3ostream.learner.dispatch;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which groups were dispatched and not yet trained: the latest attempt of each and the policy
 * version that was asked for last.
 */
public final class DispatchBook {

  /**
   * A dispatched group.
   *
   * @param attempt latest attempt
   * @param policyVersion version asked for
   * @param topUps dispatches after the first, of this attempt or earlier ones
   * @param givenUp whether its window is to be trained without it
   */
  public record Dispatched(int attempt, long policyVersion, int topUps, boolean givenUp) {

    /** As it is first dispatched. */
    static Dispatched first(long policyVersion) {
      return new Dispatched(0, policyVersion, 0, false);
    }

    private Dispatched again(int nextAttempt, long nextVersion) {
      return new Dispatched(nextAttempt, nextVersion, topUps + 1, false);
    }
  }

  private final TreeMap<Long, Dispatched> open = new TreeMap<>();
  private long nextGroupId;

  /**
   * Notes a dispatch: of a new group, of the same attempt of an open group again, or of its next
   * attempt.
   *
   * @param policyVersion version asked for; that of an earlier dispatch of the group, or a newer
   *     one if the group was too stale
   * @throws IllegalStateException if a group is dispatched out of order or after it was given up,
   *     or an attempt does not follow the previous one
   */
  public void dispatch(long groupId, int attempt, long policyVersion) {
    Dispatched previous = open.get(groupId);
    if (previous != null && !previous.givenUp() && follows(attempt, previous)) {
      open.put(groupId, previous.again(attempt, policyVersion));
    } else if (previous == null && groupId == nextGroupId && attempt == 0) {
      open.put(groupId, Dispatched.first(policyVersion));
      nextGroupId++;
    } else {
      throw new IllegalStateException(
          "group %d attempt %d does not follow %s; next new group is %d"
              .formatted(groupId, attempt, previous, nextGroupId));
    }
  }

  private static boolean follows(int attempt, Dispatched previous) {
    return attempt == previous.attempt() || attempt == previous.attempt() + 1;
  }

  /**
   * Notes that a group is awaited no longer: its window is complete without it.
   *
   * @throws IllegalStateException if it is not open, or was given up before
   */
  public void giveUp(long groupId) {
    Dispatched given = open.get(groupId);
    if (given == null || given.givenUp()) {
      throw new IllegalStateException(
          "group %d cannot be given up, it is %s".formatted(groupId, given));
    }
    open.put(groupId, new Dispatched(given.attempt(), given.policyVersion(), given.topUps(), true));
  }

  /** What is open for a group; null if it was never dispatched or is settled. */
  public @Nullable Dispatched find(long groupId) {
    return open.get(groupId);
  }

  /** Everything that is open, by group id; live. */
  SortedMap<Long, Dispatched> open() {
    return Collections.unmodifiableSortedMap(open);
  }

  /** Groups from {@code from} to {@code to} − 1 that were given up, ascending. */
  public List<Long> givenUp(long from, long to) {
    return open.subMap(from, to).entrySet().stream()
        .filter(entry -> entry.getValue().givenUp())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Oldest version that an open group asks for; empty if none is open. */
  public OptionalLong oldestVersion() {
    return open.values().stream().mapToLong(Dispatched::policyVersion).min();
  }

  /** Closes all groups below {@code groupId}: their windows were trained or passed. */
  public void settleBelow(long groupId) {
    open.headMap(groupId).clear();
  }

  /** First group id that was never dispatched. */
  public long nextGroupId() {
    return nextGroupId;
  }

  /** Groups dispatched and not settled. */
  public int openGroups() {
    return open.size();
  }
}
