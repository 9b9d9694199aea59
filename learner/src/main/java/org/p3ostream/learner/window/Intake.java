package org.p3ostream.learner.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.dispatch.DispatchBook;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.Decoded;

/**
 * Sorts visible rollout records: into the groups of open windows, or out with a reason. Keeps the
 * progress of every partition and remembers which groups must be dispatched again.
 *
 * <p>A record is admitted once: for the latest attempt of a group that was dispatched and neither
 * trained nor given up. A group whose content breaks the contract, or that teaches nothing, or that
 * has become too stale, gets a replacement with the next attempt; the attempt it replaces no longer
 * counts. A window is complete when every group was admitted or given up.
 */
public final class Intake {

  /** Rejections that are recorded at once instead of with the next step. */
  public static final int MAX_PENDING_REJECTIONS = 500;

  private final String runId;
  private final RolloutContract contract;
  private final DynamicSampling dynamicSampling;
  private final DispatchBook dispatched;
  private final int groupsPerWindow;
  private final boolean lockstep;
  private final Map<Integer, PartitionCursor> cursors;
  private final TreeMap<Long, Admitted> admitted = new TreeMap<>();
  private final TreeSet<Long> replacementsDue = new TreeSet<>();
  private final TreeSet<Long> staleDue = new TreeSet<>();
  private final List<Rejection> rejections = new ArrayList<>();
  private @Nullable Rejection lastRejection;

  private record Admitted(TrainingGroup group, int valueBytes) {}

  /**
   * @param dynamicSampling which good groups are replaced all the same
   * @param cursors progress per partition of `rollouts`
   */
  public Intake(
      String runId,
      RolloutContract contract,
      DynamicSampling dynamicSampling,
      DispatchBook dispatched,
      int groupsPerWindow,
      boolean lockstep,
      Map<Integer, PartitionCursor> cursors) {
    this.runId = runId;
    this.contract = contract;
    this.dynamicSampling = dynamicSampling;
    this.dispatched = dispatched;
    this.groupsPerWindow = groupsPerWindow;
    this.lockstep = lockstep;
    this.cursors = new TreeMap<>(cursors);
  }

  /**
   * Takes the next visible record of a partition.
   *
   * @param currentVersion newest policy version
   */
  public void accept(
      RolloutCoordinate coordinate, int valueBytes, Decoded decoded, long currentVersion) {
    if (!cursor(coordinate.partition()).observe(coordinate.recordOffset())) {
      return;
    }
    if (decoded instanceof Decoded.Rejected undecodable) {
      reject(coordinate, valueBytes, null, undecodable.reason(), null, undecodable.cause());
      return;
    }
    SpecificRecord record = ((Decoded.Accepted) decoded).record();
    if (!(record instanceof RolloutGroup group)) {
      reject(
          coordinate,
          valueBytes,
          null,
          RejectionReason.WRONG_RECORD_TYPE,
          null,
          record.getSchema().getFullName() + " does not belong on this topic");
      return;
    }
    accept(coordinate, valueBytes, group, currentVersion);
  }

  private void accept(
      RolloutCoordinate coordinate, int valueBytes, RolloutGroup group, long currentVersion) {
    Rejection.Origin origin =
        new Rejection.Origin(group.getGroupId(), group.getAttempt(), group.getProducerId());
    if (!group.getRunId().equals(runId)) {
      reject(
          coordinate,
          valueBytes,
          origin,
          RejectionReason.FOREIGN_RUN,
          "runId",
          group.getRunId() + " is not this run, " + runId);
      return;
    }
    DispatchBook.Dispatched expected = dispatched.find(group.getGroupId());
    if (expected == null || group.getWindowIndex() != group.getGroupId() / groupsPerWindow) {
      rejectUnexpected(coordinate, valueBytes, group, origin);
    } else if (expected.givenUp()) {
      reject(
          coordinate,
          valueBytes,
          origin,
          RejectionReason.SUPERSEDED,
          "groupId",
          "group %d was given up after %d further dispatches"
              .formatted(group.getGroupId(), expected.topUps()));
    } else if (group.getAttempt() != expected.attempt()) {
      boolean older = group.getAttempt() >= 0 && group.getAttempt() < expected.attempt();
      reject(
          coordinate,
          valueBytes,
          origin,
          older ? RejectionReason.SUPERSEDED : RejectionReason.NOT_DISPATCHED,
          "attempt",
          group.getAttempt() + " is not the latest dispatched attempt, " + expected.attempt());
    } else if (!isAwaited(group.getGroupId())) {
      reject(
          coordinate,
          valueBytes,
          origin,
          RejectionReason.DUPLICATE,
          "groupId",
          "group %d attempt %d has arrived before"
              .formatted(group.getGroupId(), group.getAttempt()));
    } else {
      admit(coordinate, valueBytes, group, origin, expected, currentVersion);
    }
  }

  private void admit(
      RolloutCoordinate coordinate,
      int valueBytes,
      RolloutGroup group,
      Rejection.Origin origin,
      DispatchBook.Dispatched expected,
      long currentVersion) {
    RolloutContract.Verdict verdict =
        contract.check(group, coordinate, currentVersion, expected.policyVersion(), lockstep);
    if (verdict instanceof RolloutContract.Kept kept && dynamicSampling.replaces(kept.group())) {
      replacementsDue.add(group.getGroupId());
      reject(
          coordinate,
          valueBytes,
          origin,
          RejectionReason.ZERO_VARIANCE,
          "responses[].reward",
          "all are %s: no advantage in attempt %d of %d"
              .formatted(
                  kept.group().responses().get(0).reward(),
                  group.getAttempt() + 1,
                  dynamicSampling.attempts()));
    } else if (verdict instanceof RolloutContract.Kept kept) {
      admitted.put(group.getGroupId(), new Admitted(kept.group(), valueBytes));
    } else if (verdict instanceof RolloutContract.Broken broken) {
      replacementsDue.add(group.getGroupId());
      reject(coordinate, valueBytes, origin, broken.reason(), broken.field(), broken.cause());
    }
  }

  private void rejectUnexpected(
      RolloutCoordinate coordinate, int valueBytes, RolloutGroup group, Rejection.Origin origin) {
    boolean settled =
        dispatched.find(group.getGroupId()) == null
            && group.getGroupId() >= 0
            && group.getGroupId() < dispatched.nextGroupId();
    reject(
        coordinate,
        valueBytes,
        origin,
        settled ? RejectionReason.DUPLICATE : RejectionReason.NOT_DISPATCHED,
        "groupId",
        settled
            ? "group " + group.getGroupId() + " is settled already"
            : "nobody dispatched group %d for window %d; next new group is %d"
                .formatted(group.getGroupId(), group.getWindowIndex(), dispatched.nextGroupId()));
  }

  private void reject(
      RolloutCoordinate coordinate,
      int valueBytes,
      Rejection.@Nullable Origin origin,
      RejectionReason reason,
      @Nullable String field,
      String cause) {
    cursor(coordinate.partition()).settle(coordinate.recordOffset());
    lastRejection = new Rejection(coordinate, reason, field, cause, origin, valueBytes);
    rejections.add(lastRejection);
  }

  /**
   * Rejects the groups of a window that are too stale to be trained. To be asked of the window that
   * is next: the version it is trained by is known then, and stays the same however long the window
   * is waited for, so that a learner that was restarted comes to the same groups.
   *
   * <pre>
   *   too stale  ⇔  version being trained − oldest version that sampled a token of the group > maxStaleness
   * </pre>
   *
   * @param versionBeingTrained version of the weights that the window updates
   * @param maxStaleness policy versions
   */
  public void rejectStale(long windowIndex, long versionBeingTrained, int maxStaleness) {
    for (Admitted candidate : List.copyOf(ofWindow(windowIndex).values())) {
      TrainingGroup group = candidate.group();
      long staleness = versionBeingTrained - group.policyVersion();
      if (staleness > maxStaleness) {
        admitted.remove(group.groupId());
        staleDue.add(group.groupId());
        reject(
            group.coordinate(),
            candidate.valueBytes(),
            new Rejection.Origin(group.groupId(), group.attempt(), group.producerId()),
            RejectionReason.STALE,
            "responses[].policyVersion",
            "%d, but window %d is trained by version %d: %d versions old, at most %d are wanted"
                .formatted(
                    group.policyVersion(),
                    windowIndex,
                    versionBeingTrained,
                    staleness,
                    maxStaleness));
      }
    }
  }

  /** Whether every group of a window has been admitted or given up. */
  public boolean isComplete(long windowIndex) {
    return admittedGroups(windowIndex) + missingGroups(windowIndex).size() == groupsPerWindow;
  }

  /**
   * Complete windows behind one, whether or not windows between them are.
   *
   * @return windows, as far as their records have been taken
   */
  public int completeWindowsAfter(long windowIndex) {
    int complete = 0;
    for (long w = windowIndex + 1; firstGroup(w) < dispatched.nextGroupId(); w++) {
      complete += isComplete(w) ? 1 : 0;
    }
    return complete;
  }

  private List<Long> missingGroups(long windowIndex) {
    return dispatched.givenUp(firstGroup(windowIndex), firstGroup(windowIndex + 1));
  }

  /** Whether a record of the latest attempt of a group is still to come. */
  public boolean isAwaited(long groupId) {
    DispatchBook.Dispatched expected = dispatched.find(groupId);
    return expected != null
        && !expected.givenUp()
        && !admitted.containsKey(groupId)
        && !replacementsDue.contains(groupId)
        && !staleDue.contains(groupId);
  }

  /** Admitted groups of a window so far. */
  public int admittedGroups(long windowIndex) {
    return ofWindow(windowIndex).size();
  }

  private SortedMap<Long, Admitted> ofWindow(long windowIndex) {
    return admitted.subMap(firstGroup(windowIndex), firstGroup(windowIndex + 1));
  }

  /** Hands out a complete window and settles its records and groups. */
  public Window take(long windowIndex) {
    if (!isComplete(windowIndex)) {
      throw new IllegalStateException("window " + windowIndex + " is not complete");
    }
    Map<Long, Admitted> groups = ofWindow(windowIndex);
    Window window =
        new Window(
            windowIndex,
            groups.values().stream().map(Admitted::group).toList(),
            missingGroups(windowIndex));
    groups.clear();
    for (TrainingGroup group : window.groups()) {
      cursor(group.coordinate().partition()).settle(group.coordinate().recordOffset());
    }
    dispatched.settleBelow(firstGroup(windowIndex + 1));
    return window;
  }

  /** Rejections since the last call, in the order of arrival. */
  public List<Rejection> drainRejections() {
    List<Rejection> drained = List.copyOf(rejections);
    rejections.clear();
    return drained;
  }

  /** Rejections that wait to be recorded. */
  public int pendingRejections() {
    return rejections.size();
  }

  /** Whether so many rejections wait that they must be recorded before another record is taken. */
  public boolean isFull() {
    return rejections.size() >= MAX_PENDING_REJECTIONS;
  }

  /**
   * Groups to dispatch again since the last call, ascending, but for those of {@link #drainStale}.
   */
  public List<Long> drainReplacements() {
    List<Long> drained = List.copyOf(replacementsDue);
    replacementsDue.clear();
    return drained;
  }

  /** Groups to dispatch again since the last call because they were too stale. */
  public Set<Long> drainStale() {
    Set<Long> drained = Set.copyOf(staleDue);
    staleDue.clear();
    return drained;
  }

  /** Whether a group must be dispatched again. */
  public boolean replacementDue() {
    return !replacementsDue.isEmpty() || !staleDue.isEmpty();
  }

  /** The newest rejection, for messages; null if there was none. */
  public @Nullable Rejection lastRejection() {
    return lastRejection;
  }

  /** Progress of a partition. */
  public PartitionCursor cursor(int partition) {
    PartitionCursor cursor = cursors.get(partition);
    if (cursor == null) {
      throw new IllegalArgumentException(
          "partition " + partition + " is not one of " + cursors.keySet());
    }
    return cursor;
  }

  /** Partitions in ascending order. */
  public Iterable<Integer> partitions() {
    return cursors.keySet();
  }

  private long firstGroup(long windowIndex) {
    return windowIndex * groupsPerWindow;
  }
}
