package org.p3ostream.learner.commit;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.PhaseDurations;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/**
 * Composes the events of a fork: the windows of another run, trained in another way. Nothing is
 * dispatched and nothing is consumed, since all of it was by the other run.
 */
public final class ForkComposer {
  private final EventComposer events;

  /**
   * @param events of the fork's own topics
   */
  public ForkComposer(EventComposer events) {
    this.events = events;
  }

  /**
   * Opens a fork: where it comes from, configuration, and a snapshot of the shared weights.
   *
   * @param weights shared weights, flat float32 little-endian bytes
   * @param environment what else bit identity depends on
   */
  public PreparedEvent genesis(
      LedgerState ledger,
      ForkOrigin origin,
      byte[] weights,
      long scheduleSteps,
      Map<String, String> environment,
      PhaseDurations phases) {
    StepEvent.Builder event =
        events
            .event(ledger, StepKind.GENESIS, origin.getStep(), phases)
            .setPolicyVersionBefore(origin.getPolicyVersion())
            .setPolicyVersionAfter(origin.getPolicyVersion())
            .setWeightsSha256(WeightsDigest.sha256(weights))
            .setConfiguration(events.definition().json())
            .setScheduleSteps(scheduleSteps)
            .setEnvironment(environment)
            .setForkOf(origin)
            .setDispatched(List.of());
    return prepare(event, events.snapshot(origin.getPolicyVersion(), origin.getStep(), weights));
  }

  /**
   * A window of the other run, trained.
   *
   * @param source the other run's event of it
   * @param weights weights after the update, flat float32 little-endian bytes
   */
  public PreparedEvent step(
      LedgerState ledger,
      StepEvent source,
      TrainedWindow trained,
      byte[] weights,
      PhaseDurations phases) {
    long version = ledger.policyVersion() + 1;
    StepEvent.Builder event =
        window(ledger, StepKind.STEP, source, phases)
            .setPolicyVersionAfter(version)
            .setMetrics(trained.metrics())
            .setRatioStatistics(trained.ratioStatistics())
            .setWeightsSha256(WeightsDigest.sha256(weights));
    return prepare(event, events.snapshot(version, source.getStep(), weights));
  }

  /** A window that the other run passed, for the same reason. */
  public PreparedEvent pass(LedgerState ledger, StepEvent source, PhaseDurations phases) {
    return prepare(
        window(ledger, StepKind.NO_OP, source, phases).setControl(source.getControl()), List.of());
  }

  private StepEvent.Builder window(
      LedgerState ledger, StepKind kind, StepEvent source, PhaseDurations phases) {
    return events
        .event(ledger, kind, source.getStep(), phases)
        .setWindow(source.getWindow())
        .setMissingGroups(source.getMissingGroups())
        .setDispatched(List.of());
  }

  private PreparedEvent prepare(
      StepEvent.Builder event, List<ProducerRecord<byte[], byte[]>> snapshot) {
    return events.prepare(event.build(), snapshot, List.of(), List.of(), Map.of());
  }
}
