package org.p3ostream.deploy.config;

import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.schemas.registry.RegistryAvroDeserializer;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;

/**
 * Which Kafka serializer and deserializer values go through.
 *
 * @param serializerClass class name, for instance {@code
 *     io.confluent.kafka.serializers.KafkaAvroSerializer} with that jar on the class path
 * @param deserializerClass class name of its counterpart
 * @param settings further properties for both, passed through as they are
 */
public record SerdeConfig(
    String serializerClass, String deserializerClass, Map<String, String> settings) {
  public SerdeConfig {
    if (serializerClass.isBlank()) {
      throw new IllegalArgumentException("serde.serializerClass: must not be blank");
    }
    if (deserializerClass.isBlank()) {
      throw new IllegalArgumentException("serde.deserializerClass: must not be blank");
    }
    settings = Map.copyOf(settings);
  }

  public static SerdeConfig defaults() {
    return new SerdeConfig(
        RegistryAvroSerializer.class.getName(), RegistryAvroDeserializer.class.getName(), Map.of());
  }

  /** {@code base} with these settings over it. */
  public Map<String, String> settingsOver(Map<String, String> base) {
    Map<String, String> merged = new TreeMap<>(base);
    merged.putAll(settings);
    return merged;
  }
}
