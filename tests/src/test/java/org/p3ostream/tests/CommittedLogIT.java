package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ForwardingAdmin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.p3ostream.deploy.progress.CommittedLog;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.streams.MetricsRun;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.TestRun;

/** Who reads a log to its end waits for what is committed there and cannot be seen yet. */
@ExtendWith(LocalStackExtension.class)
class CommittedLogIT {

  @Test
  void awaitReturnsOnceAnOpenTransactionHasEnded(LocalStack stack) throws Exception {
    TopicCatalogue topics = new TopicCatalogue("committed-log.");
    new MetricsRun(stack, topics).createTopics();
    TopicSpec ledger = topics.steps();
    Map<String, Object> settings = Map.of("bootstrap.servers", stack.bootstrapServers());
    try (CountingAdmin admin = new CountingAdmin(settings);
        KafkaProducer<byte[], byte[]> producer =
            new KafkaProducer<>(
                Map.of("bootstrap.servers", stack.bootstrapServers(), "transactional.id", "open"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
      CommittedLog.await(admin, topics.all()); // nothing is written
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(ledger.name(), new byte[1])).get();
      CompletableFuture<Void> waiting = new CompletableFuture<>();
      new Thread(() -> await(admin, ledger, waiting), "reader").start();
      int before = admin.questions.get();
      TestRun.until("some looks at the topic", () -> admin.questions.get() > before + 4);
      assertThat(waiting).isNotDone();

      producer.commitTransaction();

      waiting.get(60, TimeUnit.SECONDS);
    }
  }

  private static void await(Admin admin, TopicSpec topic, CompletableFuture<Void> done) {
    try {
      CommittedLog.await(admin, List.of(topic));
      done.complete(null);
    } catch (Exception e) {
      done.completeExceptionally(e);
    }
  }

  private static final class CountingAdmin extends ForwardingAdmin {
    private final AtomicInteger questions = new AtomicInteger();

    CountingAdmin(Map<String, Object> settings) {
      super(settings);
    }

    @Override
    public ListOffsetsResult listOffsets(
        Map<TopicPartition, OffsetSpec> partitions, ListOffsetsOptions options) {
      questions.incrementAndGet();
      return super.listOffsets(partitions, options);
    }
  }
}
