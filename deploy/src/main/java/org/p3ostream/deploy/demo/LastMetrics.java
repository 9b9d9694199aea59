package org.p3ostream.deploy.demo;

import java.time.Duration;
import java.util.List;
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
 * weights do not depend on them, so that they are given up after {@link #PATIENCE}.
 */
final class LastMetrics implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(200);

  private final MetricsEnd end;
  private final Consumer<String> notice;

  /**
   * @param config of a run that has its topics
   * @param notice told what is waited for, and if that was in vain
   */
  LastMetrics(P3oConfig config, RoleClients clients, Consumer<String> notice)
      throws InterruptedException {
    TopicCatalogue catalogue = new TopicCatalogue(config.run().topicPrefix());
    RunTopics topics =
        new RunTopics(clients, config, List.of(catalogue.metrics(), catalogue.steps()), notice);
    this.end = MetricsEnd.of(topics, clients, config, new Unreadable(notice), notice);
    this.notice = notice;
  }

  /**
   * Returns when all metrics are in their topic, or when that takes too long.
   *
   * @param training keeps up what writes them
   * @throws org.p3ostream.deploy.stack.ChildDiedException if that ends again and again
   * @throws org.apache.kafka.common.errors.WakeupException if this is closed meanwhile
   */
  void await(Training training) throws InterruptedException {
    long begunNanos = System.nanoTime();
    while (!end.isReached()) {
      if (System.nanoTime() - begunNanos >= PATIENCE.toNanos()) {
        notice.accept(
            "the metrics of the last steps are not all there after "
                + PATIENCE.toSeconds()
                + " s; p3o demo --resume, with as many steps, goes on with them");
        return;
      }
      training.keepServing();
      Thread.sleep(LOOK_AGAIN.toMillis());
    }
  }

  /** Ends the wait. Safe from any thread. */
  @Override
  public void close() {
    end.wakeup();
  }
}
