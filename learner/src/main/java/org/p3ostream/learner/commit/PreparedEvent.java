package org.p3ostream.learner.commit;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * A step event and all that travels with it, as bytes: ready to be sent, and sent again unchanged
 * after an abort.
 *
 * @param event the event
 * @param eventHash its hash
 * @param records everything to send, in order
 * @param offsets committed group offsets of `rollouts`, for lag tools
 */
public record PreparedEvent(
    StepEvent event,
    String eventHash,
    List<ProducerRecord<byte[], byte[]>> records,
    Map<TopicPartition, OffsetAndMetadata> offsets) {
  public PreparedEvent {
    records = List.copyOf(records);
    offsets = Map.copyOf(offsets);
  }
}
