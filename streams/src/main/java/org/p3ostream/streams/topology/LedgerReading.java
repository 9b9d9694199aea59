package org.p3ostream.streams.topology;

import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.Decoded;

/** The events of this run's ledger, keyed by their offset in {@code steps}. */
final class LedgerReading extends ContextualProcessor<byte[], Decoded, Long, StepEvent> {
  private final OwnRecords<StepEvent> events;

  LedgerReading(String runId, PassedOver passedOver) {
    this.events = new OwnRecords<>(runId, StepEvent.class, StepEvent::getRunId, passedOver);
  }

  @Override
  public void process(Record<byte[], Decoded> record) {
    RecordMetadata metadata = context().recordMetadata().orElseThrow();
    StepEvent event = events.read(metadata, record.value());
    if (event != null) {
      context().forward(record.withKey(metadata.offset()).withValue(event));
    }
  }
}
