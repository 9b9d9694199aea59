package org.p3ostream.deploy.log;

import org.p3ostream.schemas.serde.Decoded;

/**
 * A committed record and where it stands.
 *
 * @param recordOffset offset of the record
 * @param timestamp of the record, milliseconds since the epoch
 * @param value what its bytes turned out to be
 */
record LogEntry(String topic, int partition, long recordOffset, long timestamp, Decoded value) {

  /** Topic, partition and offset in one word: {@code p3o.rollouts-2@17}. */
  String coordinate() {
    return topic + "-" + partition + "@" + recordOffset;
  }
}
