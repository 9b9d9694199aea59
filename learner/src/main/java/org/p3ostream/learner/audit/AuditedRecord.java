package org.p3ostream.learner.audit;

import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;

/** A committed record: where it stands, its bytes, and what they turned out to be. */
public final class AuditedRecord {

  private final String topic;
  private final int partition;
  private final long recordOffset;
  private final byte @Nullable [] value;
  private final Decoded decoded;

  /**
   * @param recordOffset offset of the record
   * @param value its value as it lies in the topic; not changed, not kept longer than this object
   * @param decoded what {@code value} holds
   */
  public AuditedRecord(
      String topic, int partition, long recordOffset, byte @Nullable [] value, Decoded decoded) {
    this.topic = topic;
    this.partition = partition;
    this.recordOffset = recordOffset;
    this.value = value;
    this.decoded = decoded;
  }

  public String topic() {
    return topic;
  }

  public int partition() {
    return partition;
  }

  public long recordOffset() {
    return recordOffset;
  }

  /** Size of the value, bytes; 0 if there is none. */
  int valueBytes() {
    return value == null ? 0 : value.length;
  }

  /** The record if it is of a type; null otherwise. */
  <T extends SpecificRecord> @Nullable T as(Class<T> type) {
    return decoded instanceof Decoded.Accepted accepted && type.isInstance(accepted.record())
        ? type.cast(accepted.record())
        : null;
  }

  /** What stands here instead of the record that should. */
  String description() {
    return decoded instanceof Decoded.Rejected rejected
        ? rejected.reason() + ": " + rejected.cause()
        : "a " + ((Decoded.Accepted) decoded).record().getSchema().getName();
  }

  /** Hash of the value as the ledger chains it; empty if the value is too short to have one. */
  String hash() {
    return value == null || value.length < RecordCodec.WIRE_HEADER_BYTES
        ? EventHash.NONE
        : EventHash.of(value);
  }

  /** Topic, partition and offset in one word. */
  public String coordinate() {
    return coordinate(topic, partition, recordOffset);
  }

  static String coordinate(String topic, int partition, long recordOffset) {
    return topic + "-" + partition + "@" + recordOffset;
  }
}
