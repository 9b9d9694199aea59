package org.p3ostream.deploy.clients;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.p3ostream.schemas.registry.RegistryConfig;
import org.p3ostream.schemas.registry.SchemaRegistryClient;
import org.p3ostream.schemas.serde.RegistryRefusedException;
import org.p3ostream.schemas.serde.RegistryUnavailableException;

/** Waits for a schema registry, and says so. */
final class RegistryProbe {

  private static final long PAUSE_MILLIS = 100;
  private static final long NOTICE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final RegistryConfig config;
  private final SchemaRegistryClient client;
  private final Consumer<String> notice;

  /**
   * @param notice told every few seconds that there is still no answer
   */
  RegistryProbe(RegistryConfig config, Consumer<String> notice) {
    this.config = config;
    this.client = new SchemaRegistryClient(config.withoutRetries());
    this.notice = notice;
  }

  /**
   * Returns once the registry answers, be it with an error: whoever may not list subjects may still
   * read and register schemas.
   *
   * @throws RegistryUnreachableException naming the address if it does not within {@code timeout}
   */
  void await(Duration timeout) {
    long now = System.nanoTime();
    long deadline = now + timeout.toNanos();
    long nextNotice = now + NOTICE_EVERY_NANOS;
    while (true) {
      try {
        client.subjects();
        return;
      } catch (RegistryRefusedException e) {
        return;
      } catch (RegistryUnavailableException e) {
        now = System.nanoTime();
        if (now >= deadline) {
          throw unreachable(timeout, e);
        }
        if (now >= nextNotice) {
          notice.accept(notice(deadline - now));
          nextNotice = now + NOTICE_EVERY_NANOS;
        }
      }
      pause();
    }
  }

  private String notice(long leftNanos) {
    return "waiting for the schema registry at %s, giving up in %d s"
        .formatted(config.url(), TimeUnit.NANOSECONDS.toSeconds(leftNanos));
  }

  private RegistryUnreachableException unreachable(Duration timeout, Exception cause) {
    return new RegistryUnreachableException(
        "no schema registry answers at registry.url=%s (waited %d s)"
            .formatted(config.url(), timeout.toSeconds()),
        cause);
  }

  private static void pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RegistryUnreachableException(
          "interrupted while waiting for the schema registry", e);
    }
  }
}
