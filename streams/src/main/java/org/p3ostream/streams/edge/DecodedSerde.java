package org.p3ostream.streams.edge;

import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.p3ostream.schemas.serde.Decoded;

/** Values of the run's topics as {@link Decoded}; for sources, never for sinks. */
public final class DecodedSerde implements Serde<Decoded> {
  private final PatientCodec codec;

  public DecodedSerde(PatientCodec codec) {
    this.codec = codec;
  }

  @Override
  public Deserializer<Decoded> deserializer() {
    return codec::decode;
  }

  @Override
  public Serializer<Decoded> serializer() {
    return (topic, value) -> {
      throw new UnsupportedOperationException("decoded values are only read, never written");
    };
  }
}
