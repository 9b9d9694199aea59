package org.p3ostream.deploy.demo;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.MetricsEnd;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * The metrics of the last steps of a run whose log is kept: they come some seconds after the
 * training, in a short run even all of them, and who reads the log later is to find them. The
 * weights do not depend on them, so that they are given up after a while.
 */
final class LastMetrics implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

  private final BooleanSupplier complete;
  private final Runnable wakeup;
  private final Duration patience;
  private final Consumer<String> notice;

  /**
   * @param complete whether all metrics are in their topic
   * @param wakeup ends a call of {@code complete}, from any thread
   * @param patience how long they are waited for
   * @param notice told if that was in vain
   */
  LastMetrics(
      BooleanSupplier complete, Runnable wakeup, Duration patience, Consumer<String> notice) {
    this.complete = complete;
    this.wakeup = wakeup;
    this.patience = patience;
    this.notice = notice;
  }

  /**
   * Of a run that has its topics.
   *
   * @param notice told what is waited for, and if that was in vain
   */
  static LastMetrics of(P3oConfig config, RoleClients clients, Consumer<String> notice)
      throws InterruptedException {
    TopicCatalogue catalogue = new TopicCatalogue(config.run().topicPrefix());
    RunTopics topics =
        new RunTopics(clients, config, List.of(catalogue.metrics(), catalogue.steps()), notice);
    MetricsEnd end = MetricsEnd.of(topics, clients, config, new Unreadable(notice), notice);
    return new LastMetrics(end::isReached, end::wakeup, PATIENCE, notice);
  }

  /**
   * Returns when all metrics are in their topic, or when that takes too long.
   *
   * @param keepUp called between two looks, to keep up what writes them; what it throws ends the
   *     wait
   * @throws org.apache.kafka.common.errors.WakeupException if this is closed meanwhile
   */
  void await(Runnable keepUp) throws InterruptedException {
    long begunNanos = System.nanoTime();
    while (!complete.getAsBoolean()) {
      if (System.nanoTime() - begunNanos >= patience.toNanos()) {
        notice.accept(
            "the metrics of the last steps are not all there after "
                + patience.toSeconds()
                + " s; p3o demo --resume, with as many steps, goes on with them");
        return;
      }
      keepUp.run();
      Thread.sleep(LOOK_AGAIN.toMillis());
    }
  }

  /** Ends the wait. Safe from any thread. */
  @Override
  public void close() {
    wakeup.run();
  }
}
