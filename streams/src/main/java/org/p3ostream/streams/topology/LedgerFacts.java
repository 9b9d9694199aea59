package org.p3ostream.streams.topology;

import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;
import org.p3ostream.schemas.avro.StepEvent;

/** Cuts ledger events down to facts. */
final class LedgerFacts extends ContextualProcessor<Long, StepEvent, String, Fact> {
  @Override
  public void process(Record<Long, StepEvent> record) {
    Fact fact = LedgerFact.of(record.key(), record.value(), record.timestamp());
    context().forward(record.withKey("ledger").withValue(fact));
  }
}
