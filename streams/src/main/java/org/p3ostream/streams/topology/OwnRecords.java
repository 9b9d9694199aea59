package org.p3ostream.streams.topology;

import java.util.function.Function;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.serde.Decoded;

/**
 * The records of one kind and of this run; the others are passed over, and counted.
 *
 * @param runId of this run
 * @param type what the topic is to hold
 * @param runIdOf whose a record is
 */
record OwnRecords<T>(
    String runId, Class<T> type, Function<T, String> runIdOf, PassedOver passedOver) {

  /** The record that was decoded; null if it is none of these. */
  @Nullable T read(RecordMetadata metadata, Decoded decoded) {
    Coordinate at = new Coordinate(metadata.partition(), metadata.offset());
    if (decoded instanceof Decoded.Rejected rejected) {
      passedOver.count(metadata.topic(), at, rejected.reason(), rejected.cause());
      return null;
    }
    Object held = ((Decoded.Accepted) decoded).record();
    if (!type.isInstance(held)) {
      passedOver.count(
          metadata.topic(), at, RejectionReason.WRONG_RECORD_TYPE, held.getClass().getSimpleName());
      return null;
    }
    T record = type.cast(held);
    if (!runIdOf.apply(record).equals(runId)) {
      passedOver.count(
          metadata.topic(), at, RejectionReason.FOREIGN_RUN, "run " + runIdOf.apply(record));
      return null;
    }
    return record;
  }
}
