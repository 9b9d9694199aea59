package org.p3ostream.tests.faults;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.serialization.Serializer;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;

/** The serializer of a learner under test: a step of a window beyond the {@link Gate} waits. */
public final class GatedSerializer implements Serializer<Object> {
  private static final long POLL_NANOS = 2_000_000;

  private final RegistryAvroSerializer serializer = new RegistryAvroSerializer();
  private final Gate gate = new Gate(Path.of(System.getProperty(Gate.PROPERTY)));

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    serializer.configure(configs, isKey);
  }

  @Override
  public byte[] serialize(String topic, Object data) {
    if (data instanceof StepEvent event
        && (event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP)) {
      while (event.getStep() >= gate.read()) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
    return serializer.serialize(topic, data);
  }

  @Override
  public void close() {
    serializer.close();
  }
}
