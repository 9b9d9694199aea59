package org.p3ostream.streams.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.edge.PatientCodec;
import org.p3ostream.streams.live.LatestMetrics;
import org.p3ostream.streams.live.LogFollower;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.server.Condition;

/** The log follower on its thread, with the consumer and codec it owns. */
final class FollowerThread implements AutoCloseable {
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaClientMetrics meters;
  private final PatientCodec codec;
  private final LogFollower follower;
  private final Thread thread;

  FollowerThread(
      TopicCatalogue topics,
      Map<String, ?> kafka,
      PatientCodec codec,
      StepLog steps,
      LatestMetrics latest,
      MeterRegistry registry,
      Consumer<Throwable> onDeath) {
    this.consumer = new KafkaConsumer<>(KafkaProperties.follower(kafka));
    this.meters = new KafkaClientMetrics(consumer);
    meters.bindTo(registry);
    this.codec = codec;
    this.follower = new LogFollower(consumer, codec, topics, steps, latest);
    this.thread = new Thread(follower, "p3o-log-follower");
    thread.setUncaughtExceptionHandler((dead, cause) -> onDeath.accept(cause));
  }

  void start() {
    thread.start();
  }

  Condition condition() {
    LogFollower.State state = follower.state();
    return new Condition(state.atWork(), state.detail());
  }

  @Override
  public void close() {
    follower.stop();
    boolean interrupted = joined();
    meters.close();
    consumer.close();
    codec.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean joined() {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    return interrupted;
  }
}
