package org.p3ostream.schemas.serde;

import java.util.Map;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serializer;

/** A serde of others, named by class: gives or throws what its setting holds. */
public final class ScriptedSerde implements Deserializer<Object>, Serializer<Object> {

  static final String RESULT = "test.result";

  /** Settings of the last configured instance. */
  static Map<String, Object> lastSettings = Map.of();

  private Object result;

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    lastSettings = Map.copyOf(configs);
    result = configs.get(RESULT);
  }

  @Override
  public Object deserialize(String topic, byte[] data) {
    if (result instanceof RuntimeException failure) {
      throw failure;
    }
    return result;
  }

  @Override
  public byte[] serialize(String topic, Object data) {
    return (byte[]) deserialize(topic, new byte[0]);
  }

  @Override
  public void close() {
    // Nothing is open; both interfaces have a default.
  }
}
