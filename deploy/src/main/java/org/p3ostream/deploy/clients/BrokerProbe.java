package org.p3ostream.deploy.clients;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;

/** Waits for a broker, and says so. */
final class BrokerProbe {

  private static final Duration ATTEMPT = Duration.ofSeconds(3);

  private final Admin admin;
  private final String bootstrapServers;
  private final Consumer<String> notice;

  /**
   * @param admin asks; owned by the caller
   * @param notice told once per failed attempt
   */
  BrokerProbe(Admin admin, String bootstrapServers, Consumer<String> notice) {
    this.admin = admin;
    this.bootstrapServers = bootstrapServers;
    this.notice = notice;
  }

  /**
   * Returns once the cluster describes itself.
   *
   * @throws BrokerUnreachableException naming the address if it does not within {@code timeout}
   */
  void await(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      try {
        long attemptMillis = Math.max(1, Math.min(ATTEMPT.toMillis(), leftMillis));
        admin.describeCluster().nodes().get(attemptMillis, TimeUnit.MILLISECONDS);
        return;
      } catch (ExecutionException | TimeoutException e) {
        giveUpAfter(deadline, timeout, e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new BrokerUnreachableException("interrupted while waiting for Kafka", e);
      }
    }
  }

  private void giveUpAfter(long deadline, Duration timeout, Exception cause) {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new BrokerUnreachableException(
          "no Kafka broker answers at kafka.bootstrap.servers="
              + bootstrapServers
              + " (waited "
              + timeout.toSeconds()
              + " s)",
          cause);
    }
    notice.accept(
        "waiting for Kafka at "
            + bootstrapServers
            + ", giving up in "
            + TimeUnit.NANOSECONDS.toSeconds(left)
            + " s");
  }
}
