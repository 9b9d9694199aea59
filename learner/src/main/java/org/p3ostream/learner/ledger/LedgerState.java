package org.p3ostream.learner.ledger;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.dispatch.DispatchBook;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * The ledger of one run, folded event by event: where the run stands and what is open. Refuses an
 * event that does not continue the chain.
 */
public final class LedgerState {
  private final String runId;
  private final int groupsPerWindow;
  private final DispatchBook dispatched = new DispatchBook();
  private final Map<Integer, PartitionProgress> progress = new TreeMap<>();
  private @Nullable StepEvent genesis;
  private @Nullable StepEvent configured;
  private String lastEventHash = EventHash.NONE;
  private String weightsSha256 = "";
  private final Set<Long> skippedWindows = new HashSet<>(); // rare: an operator asks for each
  private final TreeMap<Long, Integer> noOps = new TreeMap<>(); // by version, rare as well
  private long nextWindow;
  private long policyVersion;
  private long learnerEpoch;
  private Applied applied = (event, eventHash) -> {};

  /** Told of every event after it was applied. */
  @FunctionalInterface
  public interface Applied {
    void event(StepEvent event, String eventHash);
  }

  /**
   * @param runId run that the ledger must belong to
   * @param groupsPerWindow B
   */
  public LedgerState(String runId, int groupsPerWindow) {
    this.runId = runId;
    this.groupsPerWindow = groupsPerWindow;
  }

  /**
   * Takes the next event.
   *
   * @param eventHash see {@link EventHash}
   * @throws LedgerException naming the event and the rule it breaks
   */
  public void apply(StepEvent event, String eventHash) {
    requireContinues(event);
    if (event.getKind() == StepKind.GENESIS) {
      genesis = event;
      nextWindow = event.getStep() + 1; // a fork begins in the middle of another run
    }
    if (configures(event)) {
      configured = event;
    }
    dispatch(event);
    if (event.getKind() == StepKind.INTERIM) {
      giveUp(event);
    }
    if (settlesWindow(event)) {
      nextWindow = event.getStep() + 1;
      if (event.getControl() != null && event.getControl().getKind() == ControlKind.SKIP_WINDOW) {
        skippedWindows.add(event.getStep());
      }
      dispatched.settleBelow(nextWindow * groupsPerWindow);
    }
    event.getProgress().forEach(p -> progress.put(p.getPartition(), p));
    policyVersion = event.getPolicyVersionAfter();
    if (event.getKind() == StepKind.NO_OP) {
      noOps.merge(policyVersion, 1, Integer::sum);
    }
    weightsSha256 = event.getWeightsSha256();
    learnerEpoch = Math.max(learnerEpoch, event.getLearnerEpoch());
    lastEventHash = eventHash;
    applied.event(event, eventHash);
  }

  /** Has {@code listener}, instead of an earlier one, told of the events to come. */
  public void tell(Applied listener) {
    applied = listener;
  }

  private void dispatch(StepEvent event) {
    for (DispatchedGroup group : event.getDispatched()) {
      try {
        dispatched.dispatch(group.getGroupId(), group.getAttempt(), askedVersion(group, event));
      } catch (IllegalStateException e) {
        require(false, event, "dispatches out of order: " + e.getMessage());
      }
    }
  }

  private void giveUp(StepEvent event) {
    for (long groupId : event.getMissingGroups()) {
      try {
        dispatched.giveUp(groupId);
      } catch (IllegalStateException e) {
        require(false, event, String.valueOf(e.getMessage()));
      }
    }
  }

  /**
   * What was dispatched before this was recorded asked for the version in force, and what was
   * dispatched again for the version of before.
   */
  private long askedVersion(DispatchedGroup group, StepEvent event) {
    Long recorded = group.getPolicyVersion();
    if (recorded != null) {
      return recorded;
    }
    DispatchBook.Dispatched before = dispatched.find(group.getGroupId());
    return before == null ? event.getPolicyVersionAfter() : before.policyVersion();
  }

  private void requireContinues(StepEvent event) {
    require(
        event.getRunId().equals(runId),
        event,
        "belongs to run '%s', this is run '%s': one topic prefix is one run, choose another"
            .formatted(event.getRunId(), runId));
    require(
        event.getPreviousEventHash().equals(lastEventHash),
        event,
        "names predecessor '%s', the previous event is '%s'"
            .formatted(event.getPreviousEventHash(), lastEventHash));
    require(
        (event.getKind() == StepKind.GENESIS) == isEmpty(),
        event,
        "GENESIS must be the first event and no other");
    require(
        isEmpty() || event.getPolicyVersionBefore() == policyVersion,
        event,
        "starts from version %d, the run is at %d"
            .formatted(event.getPolicyVersionBefore(), policyVersion));
    long moved = event.getPolicyVersionAfter() - event.getPolicyVersionBefore();
    require(
        moved == (event.getKind() == StepKind.STEP ? 1 : 0),
        event,
        "moves the version by " + moved);
    require(
        !settlesWindow(event) || event.getStep() == nextWindow,
        event,
        "is for window %d, the next one is %d".formatted(event.getStep(), nextWindow));
    StepEvent configuring = configured == null || configures(event) ? event : configured;
    require(
        event.getConfigHash().equals(configuring.getConfigHash()),
        event,
        "was made with configuration %s, the one in force is %s"
            .formatted(event.getConfigHash(), configuring.getConfigHash()));
  }

  private static boolean configures(StepEvent event) {
    ControlChange control = event.getControl();
    return event.getKind() == StepKind.GENESIS
        || event.getKind() == StepKind.CONTROL
            && control != null
            && control.getKind() == ControlKind.CONFIGURATION;
  }

  private static boolean settlesWindow(StepEvent event) {
    return event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP;
  }

  private static void require(boolean holds, StepEvent event, String rule) {
    if (!holds) {
      throw new LedgerException(
          "ledger event %s of step %d %s".formatted(event.getKind(), event.getStep(), rule));
    }
  }

  /** Run that the ledger belongs to. */
  public String runId() {
    return runId;
  }

  /** Whether no event was applied. */
  public boolean isEmpty() {
    return genesis == null;
  }

  /** The event that opened the run. */
  public StepEvent genesis() {
    if (genesis == null) {
      throw new IllegalStateException("the ledger is empty");
    }
    return genesis;
  }

  /** The configuration in force: that of GENESIS, or of the change that came last. */
  public RunDefinition definition() {
    return RunDefinition.parse(String.valueOf(configuring().getConfiguration()));
  }

  /** The event that put the configuration in force: GENESIS or a CONTROL event. */
  public StepEvent configuring() {
    return configured == null ? genesis() : configured;
  }

  /** Window that the next STEP or NO_OP is for. */
  public long nextWindow() {
    return nextWindow;
  }

  /** Whether an operator had a window passed that could have been trained. */
  public boolean wasSkipped(long window) {
    return skippedWindows.contains(window);
  }

  /** Version of the weights. */
  public long policyVersion() {
    return policyVersion;
  }

  /**
   * Windows that were settled since a version came into force: its staleness, and the no-ops in
   * between.
   */
  public long windowsSince(long version) {
    return policyVersion
        - version
        + noOps.tailMap(version).values().stream().mapToInt(count -> count).sum();
  }

  /** Digest of the weights, hexadecimal. */
  public String weightsSha256() {
    return weightsSha256;
  }

  /** Hash that the next event names as its predecessor. */
  public String lastEventHash() {
    return lastEventHash;
  }

  /** Highest learner epoch seen. */
  public long learnerEpoch() {
    return learnerEpoch;
  }

  /** Groups dispatched and not settled; live. */
  public DispatchBook dispatched() {
    return dispatched;
  }

  /** Consumption of `rollouts`, by partition. */
  public List<PartitionProgress> progress() {
    return List.copyOf(progress.values());
  }
}
