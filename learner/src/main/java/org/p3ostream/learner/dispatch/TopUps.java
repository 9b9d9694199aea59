package org.p3ostream.learner.dispatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/**
 * What becomes of groups that did not make it into their window. One that was rejected gets the
 * next attempt, one that was lost gets the same attempt again, and one that was dispatched again
 * often enough is given up.
 *
 * @param maxTopUps how often a group is dispatched again
 */
public record TopUps(int maxTopUps) {

  /**
   * A group to dispatch again.
   *
   * @param open what it was dispatched with before
   * @param attempt attempt to ask for
   */
  public record TopUp(long groupId, DispatchBook.Dispatched open, int attempt) {}

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
    TreeMap<Long, Integer> steps = new TreeMap<>(); // by how much the attempt moves
    lost.forEach(groupId -> steps.put(groupId, 0));
    rejected.forEach(groupId -> steps.put(groupId, 1));
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
            again.add(new TopUp(groupId, open, open.attempt() + step));
          }
        });
    return new Plan(again, givenUp);
  }
}
