package org.p3ostream.streams.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Waits until the learner has created the topics. A missing topic may be waited for as long as it
 * takes; a broker that does not answer only as long as the patience lasts.
 */
final class TopicGate {
  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final int REQUEST_TIMEOUT_MS = 3_000;
  private static final Logger log = LoggerFactory.getLogger(TopicGate.class);

  private final Set<String> topics;
  private final Duration brokerPatience;
  private volatile String detail = "not asked yet";
  private volatile boolean open;

  TopicGate(Collection<String> topics, Duration brokerPatience) {
    this.topics = new TreeSet<>(topics);
    this.brokerPatience = brokerPatience;
  }

  /** True once all topics were there. */
  boolean open() {
    return open;
  }

  /** What is waited for. */
  String detail() {
    return detail;
  }

  /**
   * Returns true when all topics are there, false when {@code stop} came first.
   *
   * @throws ServiceFailedException if the broker stayed silent for the whole patience or refused
   */
  boolean await(Admin admin, CountDownLatch stop) throws InterruptedException {
    long answeredAt = System.nanoTime();
    do {
      try {
        open = allThere(admin);
        answeredAt = System.nanoTime();
      } catch (ExecutionException e) {
        say("the broker does not answer");
        boolean transientFault = e.getCause() instanceof RetriableException;
        if (!transientFault || System.nanoTime() - answeredAt >= brokerPatience.toNanos()) {
          throw new ServiceFailedException(
              "No topics could be listed within " + brokerPatience.toSeconds() + " s", e);
        }
      }
    } while (!open && !stop.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS));
    return open;
  }

  private boolean allThere(Admin admin) throws ExecutionException, InterruptedException {
    Set<String> missing = new TreeSet<>(topics);
    missing.removeAll(
        admin.listTopics(new ListTopicsOptions().timeoutMs(REQUEST_TIMEOUT_MS)).names().get());
    say(missing.isEmpty() ? "all there" : "waiting for " + String.join(", ", missing));
    return missing.isEmpty();
  }

  private void say(String now) {
    if (!now.equals(detail)) {
      log.info("Topics: {}", now);
      detail = now;
    }
  }
}
