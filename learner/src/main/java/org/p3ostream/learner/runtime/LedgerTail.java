package org.p3ostream.learner.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * Collects, while a ledger is folded, the newest checkpoint that may be started from and the
 * windows that were settled after it.
 */
final class LedgerTail {
  private final Map<String, Checkpoint> byEvent = new HashMap<>();
  private final long newestStart;
  private final long lastStep;
  private final List<LedgerStep> steps = new ArrayList<>();
  private final List<Misfit> misfits = new ArrayList<>();
  private @Nullable Checkpoint start;

  /**
   * A checkpoint of this run that does not belong to its ledger, and why.
   *
   * @param contradicts whether it is not what its event says; else there is no such event
   */
  record Misfit(Checkpoint checkpoint, String reason, boolean contradicts) {}

  /**
   * @param checkpoints whole ones of this run
   * @param newestStart last step that the start may know
   * @param lastStep last step to collect
   */
  LedgerTail(List<Checkpoint> checkpoints, long newestStart, long lastStep) {
    checkpoints.forEach(checkpoint -> byEvent.put(checkpoint.eventHash(), checkpoint));
    this.newestStart = newestStart;
    this.lastStep = lastStep;
  }

  /**
   * Takes the next event.
   *
   * @param after the ledger with this event
   */
  void take(StepEvent event, String eventHash, LedgerState after) {
    boolean settles = event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP;
    if (settles && event.getStep() <= lastStep) {
      String configuration = String.valueOf(after.configuring().getConfiguration());
      steps.add(new LedgerStep(event, eventHash, configuration));
    }
    Checkpoint checkpoint = byEvent.remove(eventHash);
    if (checkpoint == null) {
      return;
    }
    String fault = fault(checkpoint, after);
    if (fault != null) {
      misfits.add(new Misfit(checkpoint, fault, true));
    } else if (checkpoint.step() <= newestStart) {
      start = checkpoint;
      steps.clear();
    }
  }

  /** An optimizer makes one update per version, so all of it follows from the event. */
  private static @Nullable String fault(Checkpoint checkpoint, LedgerState after) {
    long step = after.nextWindow() - 1;
    long version = after.policyVersion();
    if (checkpoint.step() != step
        || checkpoint.policyVersion() != version
        || checkpoint.updates() != version) {
      return "it says step %d, version %d, %d updates; its event says step %d, version %d"
          .formatted(
              checkpoint.step(), checkpoint.policyVersion(), checkpoint.updates(), step, version);
    }
    return checkpoint.weightsSha256().equals(after.weightsSha256())
        ? null
        : "its weights are %s, its event says %s"
            .formatted(checkpoint.weightsSha256(), after.weightsSha256());
  }

  /** The checkpoint to start from; null for the beginning of the run. */
  @Nullable Checkpoint start() {
    return start;
  }

  /** Windows settled after the start, in order. */
  List<LedgerStep> steps() {
    return List.copyOf(steps);
  }

  /** Checkpoints that cannot be started from; to be asked for when all of the ledger was taken. */
  List<Misfit> misfits() {
    List<Misfit> all = new ArrayList<>(misfits);
    byEvent
        .values()
        .forEach(c -> all.add(new Misfit(c, "the ledger holds no event " + c.eventHash(), false)));
    return all;
  }
}
