package org.p3ostream.streams.edge;

import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;
import org.p3ostream.schemas.avro.MetricPoint;

/** Values of the {@code metrics} topic; for sinks, never for sources. */
public final class MetricPointSerde implements Serde<MetricPoint> {
  private final PatientCodec codec;

  public MetricPointSerde(PatientCodec codec) {
    this.codec = codec;
  }

  @Override
  public Serializer<MetricPoint> serializer() {
    return codec::encode;
  }

  @Override
  public Deserializer<MetricPoint> deserializer() {
    return (topic, value) -> {
      throw new UnsupportedOperationException("metric points are only written by the topology");
    };
  }
}
