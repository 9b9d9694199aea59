package org.p3ostream.streams.topology;

import java.nio.ByteBuffer;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;

/** Store keys: partition (4 bytes), offset (8 bytes), big-endian, so that bytes sort as they do. */
final class CoordinateSerde implements Serde<Coordinate> {

  @Override
  public Serializer<Coordinate> serializer() {
    return (topic, at) ->
        ByteBuffer.allocate(Integer.BYTES + Long.BYTES)
            .putInt(at.partition())
            .putLong(at.recordOffset())
            .array();
  }

  @Override
  public Deserializer<Coordinate> deserializer() {
    return (topic, bytes) -> {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      return new Coordinate(buffer.getInt(), buffer.getLong());
    };
  }
}
