package org.p3ostream.learner.commit;

import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * What a committed transaction came to.
 *
 * @param millis milliseconds from begin to commit
 * @param records where every record lies, in the order they were sent
 */
public record CommittedEvent(double millis, List<RecordMetadata> records) {
  public CommittedEvent {
    records = List.copyOf(records);
  }

  /** Offset of the last record on a topic of one partition; empty if there was none. */
  public OptionalLong lastOffset(String topic) {
    return records.stream()
        .filter(record -> record.topic().equals(topic))
        .mapToLong(RecordMetadata::offset)
        .max();
  }
}
