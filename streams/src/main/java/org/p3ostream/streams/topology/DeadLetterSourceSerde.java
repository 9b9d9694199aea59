package org.p3ostream.streams.topology;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Store keys: offset (8 bytes), partition (4 bytes), topic, big-endian: the lowest offsets of all
 * partitions come first.
 */
final class DeadLetterSourceSerde implements Serde<DeadLetterSource> {

  @Override
  public Serializer<DeadLetterSource> serializer() {
    return (unused, source) -> {
      byte[] topic = source.topic().getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(Long.BYTES + Integer.BYTES + topic.length)
          .putLong(source.recordOffset())
          .putInt(source.partition())
          .put(topic)
          .array();
    };
  }

  @Override
  public Deserializer<DeadLetterSource> deserializer() {
    return (unused, bytes) -> {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      long recordOffset = buffer.getLong();
      int partition = buffer.getInt();
      byte[] topic = new byte[buffer.remaining()];
      buffer.get(topic);
      return new DeadLetterSource(
          recordOffset, partition, new String(topic, StandardCharsets.UTF_8));
    };
  }
}
