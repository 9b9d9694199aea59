package org.p3ostream.streams.topology;

import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.Decoded;

/** The events of this run's ledger, keyed by their offset in {@code steps}. */
final class LedgerReading extends ContextualProcessor<byte[], Decoded, Long, StepEvent> {
  private final String runId;
  private final PassedOver passedOver;

  LedgerReading(String runId, PassedOver passedOver) {
    this.runId = runId;
    this.passedOver = passedOver;
  }

  @Override
  public void process(Record<byte[], Decoded> record) {
    RecordMetadata metadata = context().recordMetadata().orElseThrow();
    Coordinate at = new Coordinate(metadata.partition(), metadata.offset());
    if (record.value() instanceof Decoded.Rejected rejected) {
      passedOver.count(metadata.topic(), at, rejected.reason(), rejected.cause());
      return;
    }
    Object held = ((Decoded.Accepted) record.value()).record();
    if (!(held instanceof StepEvent event)) {
      passedOver.count(
          metadata.topic(), at, RejectionReason.WRONG_RECORD_TYPE, held.getClass().getSimpleName());
    } else if (!event.getRunId().equals(runId)) {
      passedOver.count(
          metadata.topic(), at, RejectionReason.FOREIGN_RUN, "run " + event.getRunId());
    } else {
      context().forward(record.withKey(at.recordOffset()).withValue(event));
    }
  }
}
