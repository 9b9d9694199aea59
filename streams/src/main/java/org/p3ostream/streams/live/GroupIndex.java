package org.p3ostream.streams.live;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;

/**
 * Where the groups of the newest steps lie in {@code rollouts}, as the ledger says. Bounded by the
 * number of groups, since windows may be large; the ledger keeps the others. Safe for several
 * threads.
 */
public final class GroupIndex {
  /** Groups held unless told otherwise; some 40 bytes each. */
  static final int DEFAULT_CAPACITY = 100_000;

  /**
   * A group and what became of it.
   *
   * @param groupId its id
   * @param attempt the attempt that was trained
   * @param step the step that trained it
   * @param trainedVersion version of the weights that the step updated
   * @param sampledVersion oldest version that sampled a token of the group
   * @param partition its partition of {@code rollouts}
   * @param recordOffset its offset there
   */
  public record TrainedGroup(
      long groupId,
      int attempt,
      long step,
      long trainedVersion,
      long sampledVersion,
      int partition,
      long recordOffset) {}

  private record Window(long step, List<TrainedGroup> groups) {}

  private final int capacity;
  private final Deque<Window> windows = new ArrayDeque<>();
  private int held;

  GroupIndex() {
    this(DEFAULT_CAPACITY);
  }

  /**
   * @param capacity most groups held; the newest step is held whatever its size
   */
  GroupIndex(int capacity) {
    this.capacity = capacity;
  }

  synchronized void add(StepEvent event) {
    List<TrainedGroup> groups =
        event.getWindow().stream().map(entry -> trained(event, entry)).toList();
    windows.addLast(new Window(event.getStep(), groups));
    held += groups.size();
    while (held > capacity && windows.size() > 1) {
      held -= windows.removeFirst().groups().size();
    }
  }

  private static TrainedGroup trained(StepEvent event, WindowEntry entry) {
    return new TrainedGroup(
        entry.getGroupId(),
        entry.getAttempt(),
        event.getStep(),
        event.getPolicyVersionBefore(),
        entry.getPolicyVersion(),
        entry.getPartition(),
        entry.getRecordOffset());
  }

  /** The groups of {@code step} in the order of their ids; empty if the step is not held. */
  public synchronized Optional<List<TrainedGroup>> ofStep(long step) {
    return windows.stream().filter(window -> window.step() == step).map(Window::groups).findFirst();
  }

  /** The group of that id, if a step that is held trained it. */
  public synchronized Optional<TrainedGroup> find(long groupId) {
    return windows.stream()
        .flatMap(window -> window.groups().stream())
        .filter(group -> group.groupId() == groupId)
        .findFirst();
  }
}
