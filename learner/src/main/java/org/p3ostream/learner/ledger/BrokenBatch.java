package org.p3ostream.learner.ledger;

import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** Records that the broker hands out and whose bytes are not those that were written. */
public final class BrokenBatch {
  private BrokenBatch() {}

  /**
   * Which batch a consumer could not read because its checksum is wrong.
   *
   * @return partition and offset, in words; null if the failure is another one
   */
  public static @Nullable String in(KafkaException failure) {
    return failure.getClass() == KafkaException.class
            && failure.getCause() instanceof KafkaException cause
        ? String.valueOf(cause.getMessage())
        : null;
  }
}
