package org.p3ostream.deploy.progress;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicSpec;

/** Reads one topic from its beginning, committed records only. Clients belong to the caller. */
public final class LogFollower {

  private final Consumer<byte[], byte[]> consumer;
  private final RecordCodec codec;
  private final List<TopicPartition> partitions;

  /** Takes over the assignment of {@code consumer}. */
  public LogFollower(Consumer<byte[], byte[]> consumer, RecordCodec codec, TopicSpec topic) {
    this.consumer = consumer;
    this.codec = codec;
    this.partitions =
        IntStream.range(0, topic.partitions())
            .mapToObj(partition -> new TopicPartition(topic.name(), partition))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /**
   * The next records, in the order of each partition; empty if none came within {@code timeout}.
   * Records that cannot be read are left out: the learner tells about them in its dead letters.
   */
  public List<SpecificRecord> poll(Duration timeout) {
    List<SpecificRecord> records = new ArrayList<>();
    for (ConsumerRecord<byte[], byte[]> message : consumer.poll(timeout)) {
      if (codec.decode(message.topic(), message.value()) instanceof Decoded.Accepted accepted) {
        records.add(accepted.record());
      }
    }
    return records;
  }

  /** Whether everything that was committed at the time of the call has been read. */
  public boolean isAtEnd() {
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }
}
