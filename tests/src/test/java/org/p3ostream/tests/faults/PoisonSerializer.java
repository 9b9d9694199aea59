package org.p3ostream.tests.faults;

import java.util.Map;
import org.apache.kafka.common.serialization.Serializer;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;

/**
 * The serializer of a producer that one prompt kills: when the first attempt of a group has been
 * sampled and is about to be published, the process is gone.
 */
public final class PoisonSerializer implements Serializer<Object> {

  /** System property that names the group. */
  public static final String PROPERTY = "p3o.test.poison";

  /** Exit status of the process. */
  public static final int STATUS = 66;

  private final RegistryAvroSerializer serializer = new RegistryAvroSerializer();
  private final long poison = Long.getLong(PROPERTY);

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    serializer.configure(configs, isKey);
  }

  @Override
  public byte[] serialize(String topic, Object data) {
    if (data instanceof RolloutGroup group
        && group.getGroupId() == poison
        && group.getAttempt() == 0
        && group.getFailure() == null) {
      Runtime.getRuntime().halt(STATUS);
    }
    return serializer.serialize(topic, data);
  }

  @Override
  public void close() {
    serializer.close();
  }
}
