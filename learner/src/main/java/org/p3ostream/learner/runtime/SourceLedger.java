package org.p3ostream.learner.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/** The ledger of a run that is forked: the place where, and the windows from there on. */
final class SourceLedger {
  private final ForkSource source;
  private final LedgerState state;
  private final List<StepEvent> windows = new ArrayList<>();
  private @Nullable ForkOrigin origin;
  private @Nullable RunDefinition definition;

  SourceLedger(ForkSource source, int groupsPerWindow) {
    this.source = source;
    this.state = new LedgerState(source.runId(), groupsPerWindow);
  }

  /**
   * Reads all that is there now.
   *
   * @throws ConfigurationException if the run cannot be forked at that step
   */
  void read(RunLog log) {
    log.ledger()
        .readAll(
            (event, eventHash) -> {
              state.apply(event, eventHash);
              take(event, eventHash);
            });
    require(!state.isEmpty(), "--at", log.topics().steps().name() + " holds no run");
    require(
        state.genesis().getForkOf() == null,
        "run.topicPrefix",
        "run '" + source.runId() + "' is a fork itself: fork the run it comes from");
    require(
        origin != null,
        "--at",
        "the run has steps 0 to %d (-1 forks it before the first)"
            .formatted(state.nextWindow() - 1));
  }

  private void take(StepEvent event, String eventHash) {
    boolean settles = event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP;
    if ((settles || event.getKind() == StepKind.GENESIS) && event.getStep() == source.step()) {
      definition = state.definition();
      origin =
          ForkOrigin.newBuilder()
              .setRunId(source.runId())
              .setTopicPrefix(source.topicPrefix())
              .setStep(event.getStep())
              .setEventHash(eventHash)
              .setPolicyVersion(event.getPolicyVersionAfter())
              .build();
    } else if (settles && event.getStep() > source.step()) {
      windows.add(event);
    }
  }

  private void require(boolean holds, String key, String rule) {
    if (!holds) {
      throw new ConfigurationException(key + ": " + source.step() + ": " + rule);
    }
  }

  ForkOrigin origin() {
    if (origin == null) {
      throw new IllegalStateException("not read");
    }
    return origin;
  }

  /** The configuration in force in the last shared step. */
  RunDefinition definition() {
    if (definition == null) {
      throw new IllegalStateException("not read");
    }
    return definition;
  }

  /** Last settled window. */
  long lastStep() {
    return state.nextWindow() - 1;
  }

  /** Windows after a step, in order. */
  List<StepEvent> windowsAfter(long step) {
    return windows.stream().filter(event -> event.getStep() > step).toList();
  }

  /** First window with tokens sampled by a version that both do not share. */
  OptionalLong offPolicyFrom() {
    return windows.stream()
        .filter(
            event ->
                event.getRatioStatistics().stream()
                    .anyMatch(v -> v.getPolicyVersion() > origin().getPolicyVersion()))
        .mapToLong(StepEvent::getStep)
        .findFirst();
  }
}
