package org.p3ostream.streams.edge;

import java.time.Duration;
import java.util.function.Supplier;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A codec that waits for an absent registry: says so, tries again, and gives up after its patience
 * ends. Used by one thread, except for {@link #stopWaiting()}.
 */
public final class PatientCodec implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PatientCodec.class);

  private final RecordCodec codec;
  private final Duration patience;
  private final Duration pause;
  private volatile boolean stopped;

  /**
   * @param codec owned from here on
   * @param patience how long one record may wait for the registry
   * @param pause between two tries
   */
  public PatientCodec(RecordCodec codec, Duration patience, Duration pause) {
    this.codec = codec;
    this.patience = patience;
    this.pause = pause;
  }

  /**
   * What {@code value} holds; null and empty values are no records.
   *
   * @throws RegistryUnavailableException if the registry stayed away for the whole patience
   */
  public Decoded decode(String topic, byte @Nullable [] value) {
    return patiently(() -> codec.decode(topic, value));
  }

  /**
   * Bytes of {@code record}.
   *
   * @throws RegistryUnavailableException if the registry stayed away for the whole patience
   */
  public byte[] encode(String topic, SpecificRecord record) {
    return patiently(() -> codec.encode(topic, record));
  }

  /** Lets a waiting call fail at once. Safe from any thread. */
  public void stopWaiting() {
    stopped = true;
  }

  @Override
  public void close() {
    codec.close();
  }

  private <T> T patiently(Supplier<T> call) {
    long startedAt = System.nanoTime();
    while (true) {
      try {
        return call.get();
      } catch (RegistryUnavailableException e) {
        if (stopped || System.nanoTime() - startedAt >= patience.toNanos()) {
          throw e;
        }
        log.warn("Schema registry is away, trying again: {}", e.getMessage());
        pauseOrThrow(e);
      }
    }
  }

  private void pauseOrThrow(RegistryUnavailableException cause) {
    try {
      Thread.sleep(pause.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw cause;
    }
  }
}
