package org.p3ostream.learner.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * What becomes of groups that did not make it into their window. One that was rejected gets the
 * next attempt, one that was lost gets the same attempt again, and one that was dispatched again
 * often enough is given up. Each asks for the version that it asked for before, so that a
 * replacement is no fresher than what it replaces; but for one that was too stale, whose
 * replacement would be, too.
 *
 * @param maxTopUps how often a group is dispatched again
 */
public record TopUps(int maxTopUps) {

  /**
   * A group to dispatch again.
   *
   * @param attempt attempt to ask for
   * @param policyVersion version to ask for
   */
  public record TopUp(long groupId, int attempt, long policyVersion) {}

  /**
   * Groups that were rejected because they were too stale.
   *
   * @param groupIds which
   * @param policyVersion version to ask for in their place
   */
  public record Stale(Set<Long> groupIds, long policyVersion) {

    /** There are none. */
    public static final Stale NONE = new Stale(Set.of(), 0);

    public Stale {
      groupIds = Set.copyOf(groupIds);
    }
  }

  /**
   * What to do, in the order of group ids.
   *
   * @param again groups to dispatch again
   * @param givenUp groups to train without
   */
  public record Plan(List<TopUp> again, List<Long> givenUp) {

    /** Nothing to do. */
    public static final Plan NONE = new Plan(List.of(), List.of());

    public Plan {
      again = List.copyOf(again);
      givenUp = List.copyOf(givenUp);
    }
  }

  /**
   * Decides about groups that are open in the book; others are left out, they are settled.
   *
   * @param rejected groups whose latest attempt was rejected for its content
   * @param lost groups whose latest attempt has not come
   */
  public Plan plan(DispatchBook book, Collection<Long> rejected, Collection<Long> lost) {
    return plan(book, rejected, Stale.NONE, lost);
  }

  /** The same with groups that were rejected because they were too stale. */
  public Plan plan(
      DispatchBook book, Collection<Long> rejected, Stale stale, Collection<Long> lost) {
    TreeMap<Long, Integer> steps = new TreeMap<>(); // by how much the attempt moves
    lost.forEach(groupId -> steps.put(groupId, 0));
    rejected.forEach(groupId -> steps.put(groupId, 1));
    stale.groupIds().forEach(groupId -> steps.put(groupId, 1));
    List<TopUp> again = new ArrayList<>();
    List<Long> givenUp = new ArrayList<>();
    steps.forEach(
        (groupId, step) -> {
          DispatchBook.Dispatched open = book.find(groupId);
          if (open == null || open.givenUp()) {
            return;
          }
          if (open.topUps() >= maxTopUps) {
            givenUp.add(groupId);
          } else {
            long version =
                stale.groupIds().contains(groupId) ? stale.policyVersion() : open.policyVersion();
            again.add(new TopUp(groupId, open.attempt() + step, version));
          }
        });
    return new Plan(again, givenUp);
  }
}
