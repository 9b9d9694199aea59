package org.p3ostream.tests.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.log.MetricsEnd;
import org.p3ostream.deploy.log.TopicReader;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.Markers;

/** What is read of the metrics to find that a run has all of them. */
@ExtendWith(LocalStackExtension.class)
class MetricsEndIT {

  /** Points of earlier steps in each partition of the metrics. */
  private static final int EARLIER = 5_000;

  /** About one stretch of each partition. */
  private static final int FEW = 1_100;

  @Test
  void lagOfTheLastStepIsFoundAtTheEndOfItsPartition(LocalStack stack) throws Exception {
    try (Run run = new Run(stack, "metrics-end-lag.")) {
      run.writeEarlierPoints();
      run.commitSteps();
      run.write(Metric.LAG_RECORDS, System.currentTimeMillis());
      assertThat(run.end().isReached()).isTrue();
      assertThat(run.metrics.polled).isPositive().isLessThan(FEW);
    }
  }

  /** By a topology that begins late: there are markers of its transactions among all points. */
  @Test
  void pointsThatWereWrittenAfterTheEndAreNotAllRead(LocalStack stack) throws Exception {
    try (Run run = new Run(stack, "metrics-end-late.")) {
      run.commitSteps();
      run.writeEarlierPoints();
      run.write(Metric.LAG_RECORDS, run.startedAt);
      assertThat(run.end().isReached()).isFalse();
      run.write(Metric.LAG_RECORDS, System.currentTimeMillis());
      assertThat(run.end().isReached()).isTrue();
      assertThat(run.metrics.polled).isPositive().isLessThan(2 * FEW);
    }
  }

  /** As in a fork that trains windows of its origin. */
  @Test
  void pointsFromBeforeTheEndAreNotReadWhereThereIsNoLag(LocalStack stack) throws Exception {
    try (Run run = new Run(stack, "metrics-end-fork.")) {
      run.writeEarlierPoints();
      run.commitSteps();
      run.write(Metric.REWARD_MEAN, System.currentTimeMillis());
      assertThat(run.end().isReached()).isFalse();
      assertThat(run.metrics.polled).isPositive().isLessThan(FEW);
    }
  }

  /** As with a transaction of which one partition has its marker, and another not yet. */
  @Test
  void whatIsWrittenAndCannotBeSeenYetIsWaitedFor(LocalStack stack) throws Exception {
    try (Run run = new Run(stack, "metrics-end-open.");
        KafkaProducer<String, byte[]> slow = run.producer("slow")) {
      run.commitSteps();
      run.write(Metric.LAG_RECORDS, System.currentTimeMillis());
      slow.beginTransaction();
      run.send(slow, null, Metric.REWARD_MEAN, System.currentTimeMillis());
      slow.flush();
      assertThat(run.end().isReached()).isFalse();
      slow.commitTransaction();
      Markers.await(run.admin, partitions(run.topics.metrics()));
      assertThat(run.end().isReached()).isTrue();
    }
  }

  @Test
  void wakeupEndsTheReadingOfEitherTopic(LocalStack stack) throws Exception {
    try (Run run = new Run(stack, "metrics-end-wakeup.")) {
      MetricsEnd end = run.end();
      end.wakeup();
      assertThatThrownBy(end::isReached).isInstanceOf(WakeupException.class);
      assertThatThrownBy(() -> run.metrics.endOffsets(partitions(run.topics.metrics())))
          .isInstanceOf(WakeupException.class);
    }
  }

  private static List<TopicPartition> partitions(TopicSpec topic) {
    return IntStream.range(0, topic.partitions())
        .mapToObj(partition -> new TopicPartition(topic.name(), partition))
        .toList();
  }

  private static final class CountingReader extends KafkaConsumer<byte[], byte[]> {
    private int polled;

    CountingReader(LocalStack stack) {
      super(
          Map.of(
              "bootstrap.servers",
              stack.bootstrapServers(),
              "isolation.level",
              "read_committed",
              "enable.auto.commit",
              false),
          new ByteArrayDeserializer(),
          new ByteArrayDeserializer());
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      ConsumerRecords<byte[], byte[]> records = super.poll(timeout);
      polled += records.count();
      return records;
    }
  }

  /** A run whose topology is this test. */
  private static final class Run implements AutoCloseable {

    private static final int STEPS = 5;

    private final long startedAt = System.currentTimeMillis() - 60_000;
    private final TopicCatalogue topics;
    private final String group;
    private final String bootstrapServers;
    private final RoleClients clients;
    private final Admin admin;
    private final RecordCodec codec;
    private final CountingReader metrics;
    private final KafkaProducer<String, byte[]> producer;
    private final LedgerScript ledger;

    Run(LocalStack stack, String prefix) throws Exception {
      topics = new TopicCatalogue(prefix);
      group = prefix + "streams";
      clients =
          new RoleClients(
              ConfigLoader.load(
                  null,
                  List.of(
                      "kafka.bootstrap.servers=" + stack.bootstrapServers(),
                      "registry.url=" + stack.registryUrl())));
      admin = clients.admin();
      codec = clients.codec();
      metrics = new CountingReader(stack);
      new MetricsRun(stack, topics).createTopics();
      bootstrapServers = stack.bootstrapServers();
      producer = producer(group);
      ledger = new LedgerScript(stack.bootstrapServers(), topics, codec);
    }

    KafkaProducer<String, byte[]> producer(String transactionalId) {
      KafkaProducer<String, byte[]> made =
          new KafkaProducer<>(
              Map.of("bootstrap.servers", bootstrapServers, "transactional.id", transactionalId),
              new StringSerializer(),
              new ByteArraySerializer());
      made.initTransactions();
      return made;
    }

    /** Every step, consumed by the topology. */
    void commitSteps() throws Exception {
      ledger.commitGenesis();
      for (long step = 0; step < STEPS; step++) {
        ledger.commitStep(step, List.of());
      }
      Markers.await(admin, partitions(topics.steps()));
      Map<TopicPartition, OffsetAndMetadata> consumed = new HashMap<>();
      metrics
          .endOffsets(partitions(topics.steps()))
          .forEach((partition, end) -> consumed.put(partition, new OffsetAndMetadata(end)));
      admin.alterConsumerGroupOffsets(group, consumed).all().get();
    }

    /** Points other than lags, the first of each partition in a transaction of its own. */
    void writeEarlierPoints() {
      for (int count : List.of(1, EARLIER)) {
        producer.beginTransaction();
        for (TopicPartition partition : partitions(topics.metrics())) {
          for (int i = 0; i < count; i++) {
            send(partition.partition(), Metric.REWARD_MEAN, startedAt);
          }
        }
        producer.commitTransaction();
      }
      Markers.await(admin, partitions(topics.metrics()));
    }

    void write(Metric metric, long eventTime) {
      producer.beginTransaction();
      send(null, metric, eventTime);
      producer.commitTransaction();
      Markers.await(admin, partitions(topics.metrics()));
    }

    private void send(@Nullable Integer partition, Metric metric, long eventTime) {
      send(producer, partition, metric, eventTime);
    }

    private void send(
        KafkaProducer<String, byte[]> producer,
        @Nullable Integer partition,
        Metric metric,
        long eventTime) {
      MetricPoint point = metric.point(LedgerScript.RUN, 0, 1, eventTime);
      String topic = topics.metrics().name();
      producer.send(
          new ProducerRecord<>(
              topic, partition, eventTime, point.getName(), codec.encode(topic, point)));
    }

    MetricsEnd end() {
      return new MetricsEnd(
          reader(clients.reader(), topics.steps()),
          reader(metrics, topics.metrics()),
          new Unreadable(Run::fail),
          admin,
          group,
          STEPS,
          notice -> {});
    }

    private TopicReader reader(KafkaConsumer<byte[], byte[]> consumer, TopicSpec topic) {
      return new TopicReader(consumer, codec, topic.name(), topic.partitions(), Run::fail);
    }

    private static void fail(String notice) {
      throw new AssertionError(notice);
    }

    @Override
    public void close() throws Exception {
      ledger.close();
      producer.close();
      metrics.close();
      clients.close();
    }
  }
}
