package org.p3ostream.learner.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.ledger.LedgerReader;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects, while a ledger is folded, the newest checkpoint that may be started from and the
 * windows that were settled after it. A ledger may be longer than memory, so windows are collected
 * from the newest checkpoint on that lies on disk; should the ledger not bear that one out, they
 * are {@link #complete completed} by reading it again.
 */
final class LedgerTail {
  private static final Logger LOG = LoggerFactory.getLogger(LedgerTail.class);

  private final Map<String, Checkpoint> byEvent = new HashMap<>();
  private final long newestStart;
  private final long lastStep;
  private final NavigableMap<Long, String> configurations = new TreeMap<>(); // by first window
  private final List<LedgerStep> steps = new ArrayList<>();
  private final List<Checkpoint> fitting = new ArrayList<>();
  private final List<Misfit> misfits = new ArrayList<>();
  private long collectedAfter;
  private long newestWindow = Long.MIN_VALUE;
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
    this.collectedAfter =
        checkpoints.stream()
            .mapToLong(Checkpoint::step)
            .filter(step -> step <= newestStart)
            .max()
            .orElse(Long.MIN_VALUE);
  }

  /**
   * Takes the next event.
   *
   * @param after the ledger with this event
   */
  void take(StepEvent event, String eventHash, LedgerState after) {
    if (settles(event)) {
      newestWindow = event.getStep();
      String configuration = String.valueOf(after.configuring().getConfiguration());
      if (configurations.isEmpty()
          || !configurations.lastEntry().getValue().equals(configuration)) {
        configurations.put(newestWindow, configuration);
      }
      collect(event, eventHash);
    }
    Checkpoint checkpoint = byEvent.remove(eventHash);
    if (checkpoint == null) {
      return;
    }
    String fault = fault(checkpoint, after);
    if (fault != null) {
      misfits.add(new Misfit(checkpoint, fault, true));
      return;
    }
    fitting.add(checkpoint);
    if (checkpoint.step() <= newestStart) {
      start = checkpoint;
    }
  }

  private static boolean settles(StepEvent event) {
    return event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP;
  }

  private void collect(StepEvent event, String eventHash) {
    long step = event.getStep();
    if (step > collectedAfter && step <= lastStep) {
      String configuration = configurations.floorEntry(step).getValue();
      steps.add(new LedgerStep(event, eventHash, configuration));
    }
  }

  /**
   * Collects what is missing when the newest checkpoint on disk is not the one to start from. To be
   * called when all of the ledger was taken.
   *
   * @param ledger reads it again; events that were not there before are left out
   */
  void complete(Consumer<LedgerReader.Sink> ledger) {
    long needed = start == null ? Long.MIN_VALUE : start.step();
    if (needed == collectedAfter || newestWindow <= needed) {
      return;
    }
    LOG.info("reading the ledger again: it does not bear out the newest checkpoint");
    collectedAfter = needed;
    steps.clear();
    ledger.accept(
        (event, eventHash) -> {
          if (settles(event) && event.getStep() <= newestWindow) {
            collect(event, eventHash);
          }
        });
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

  /** Checkpoints that the ledger bears out, oldest first. */
  List<Checkpoint> fitting() {
    return List.copyOf(fitting);
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
