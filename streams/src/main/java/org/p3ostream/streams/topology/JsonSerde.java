package org.p3ostream.streams.topology;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Values of internal topics and stores as JSON: nobody but this topology reads them, and a person
 * can.
 */
final class JsonSerde<T> implements Serde<T> {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Class<T> type;

  JsonSerde(Class<T> type) {
    this.type = type;
  }

  @Override
  public Serializer<T> serializer() {
    return (topic, value) -> write(topic, value);
  }

  @Override
  public Deserializer<T> deserializer() {
    return (topic, bytes) -> read(topic, bytes);
  }

  private byte @Nullable [] write(String topic, @Nullable T value) {
    try {
      return value == null ? null : MAPPER.writerFor(type).writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new SerializationException("cannot write " + type.getSimpleName() + " to " + topic, e);
    }
  }

  private @Nullable T read(String topic, byte @Nullable [] bytes) {
    try {
      return bytes == null ? null : MAPPER.readValue(bytes, type);
    } catch (IOException e) {
      throw new SerializationException("no " + type.getSimpleName() + " in " + topic, e);
    }
  }
}
