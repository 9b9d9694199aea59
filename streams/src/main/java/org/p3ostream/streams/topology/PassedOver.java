package org.p3ostream.streams.topology;

import io.micrometer.core.instrument.MeterRegistry;
import org.p3ostream.schemas.avro.RejectionReason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the records that the topology could not use, since the process started: meter {@code
 * p3o.streams.passed.over.records} with tags topic and reason. The learner writes the dead letters;
 * here they are only seen.
 */
final class PassedOver {
  static final String METER = "p3o.streams.passed.over.records";

  private static final Logger log = LoggerFactory.getLogger(PassedOver.class);

  private final MeterRegistry registry;

  PassedOver(MeterRegistry registry) {
    this.registry = registry;
  }

  void count(String topic, Coordinate at, RejectionReason reason, String cause) {
    registry.counter(METER, "topic", topic, "reason", reason.name()).increment();
    log.warn(
        "Passed over {}-{}@{}: {}, {}", topic, at.partition(), at.recordOffset(), reason, cause);
  }
}
