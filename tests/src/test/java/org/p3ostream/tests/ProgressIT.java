package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Offsets without a visible record: transaction markers and records of aborted transactions. */
@ExtendWith(LocalStackExtension.class)
class ProgressIT {

  private static final int ABORTED = 3;

  @Test
  void progressPassesMarkersAndAbortedRecordsAndTheLagReachesZero(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory);
    TopicSpec rollouts = run.topics().rollouts();
    run.learner("learner.steps=0").join(); // opens the run
    abort(run); // in front of everything
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=2").join();
      abort(run); // between the groups
      run.learner("learner.steps=4").join();
      TestRun.until(
          "windows 0 to 5 are there", () -> run.values(rollouts, RolloutGroup.class).size() == 24);
      producer.stop();
    }
    assertThat(committedLag(run)).isGreaterThanOrEqualTo(8); // windows 4, 5
    abort(run);
    junk(run); // behind everything, so that no group lies behind the last holes
    run.learner("learner.steps=6").join();

    List<StepEvent> ledger = run.ledger();
    List<PartitionProgress> progress = ledger.get(ledger.size() - 1).getProgress();
    for (int p = 0; p < rollouts.partitions(); p++) {
      int partition = p;
      List<Long> visible =
          run.records(rollouts).stream()
              .filter(record -> record.partition() == partition)
              .map(ConsumerRecord::offset)
              .toList();
      long last = visible.get(visible.size() - 1);
      assertThat(last + 1 - visible.size()) // aborted records and at least as many markers
          .as("holes in partition %d", partition)
          .isGreaterThanOrEqualTo(3 * (ABORTED + 1) + 1);
      assertThat(progress)
          .filteredOn(found -> found.getPartition() == partition)
          .singleElement()
          .satisfies(found -> assertThat(found.getConsumedAhead()).isEmpty());
    }
    assertThat(ledger)
        .flatExtracting(StepEvent::getSkipped)
        .extracting(SkippedRecord::getPartition)
        .doesNotHaveDuplicates();
    TestRun.until("junk at most", () -> committedLag(run) <= rollouts.partitions());
    try (RunningRole producer = run.producer("b")) {
      run.learner("learner.steps=8").join();
      TestRun.until(
          "windows up to 9 are there", () -> run.values(rollouts, RolloutGroup.class).size() == 40);
      producer.stop();
    }
    run.learner("learner.steps=10").join(); // no producer: what is there is all that will be
    TestRun.until("nothing is left", () -> committedLag(run) == 0);
    StepEvent end = run.ledger().get(run.ledger().size() - 1);
    assertThat(end.getProgress())
        .hasSize(rollouts.partitions())
        .allSatisfy(found -> assertThat(found.getConsumedAheadRanges()).isEmpty());
  }

  /** Visible records at or behind the offsets that the learner's group has committed. */
  private static long committedLag(TestRun run) throws Exception {
    String group = run.config().run().topicPrefix() + "learner";
    try (RoleClients clients = new RoleClients(run.config())) {
      Map<TopicPartition, OffsetAndMetadata> committed =
          clients.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
      return run.records(run.topics().rollouts()).stream()
          .filter(
              record ->
                  record.offset()
                      >= committed
                          .get(new TopicPartition(record.topic(), record.partition()))
                          .offset())
          .count();
    }
  }

  /** A transaction that aborts with records in every partition. */
  private static void abort(TestRun run) throws Exception {
    transaction(run, ABORTED, false);
  }

  /** A transaction that commits a record of no use to every partition. */
  private static void junk(TestRun run) throws Exception {
    transaction(run, 1, true);
  }

  private static void transaction(TestRun run, int records, boolean commit) throws Exception {
    TopicSpec rollouts = run.topics().rollouts();
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                run.config().bootstrapServers(),
                "transactional.id",
                rollouts.name() + "-disturber"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      for (int partition = 0; partition < rollouts.partitions(); partition++) {
        for (int i = 0; i < records; i++) {
          byte[] value = "no Avro".getBytes(StandardCharsets.UTF_8);
          producer.send(new ProducerRecord<>(rollouts.name(), partition, null, value)).get();
        }
      }
      if (commit) {
        producer.commitTransaction();
      } else {
        producer.abortTransaction();
      }
    }
  }
}
