package org.p3ostream.tests.invariance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.dispatch.DispatchBook;
import org.p3ostream.learner.window.DynamicSampling;
import org.p3ostream.learner.window.Intake;
import org.p3ostream.learner.window.PartitionCursor;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.learner.window.RolloutCoordinate;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.TestRun;

/** Windows sent through a topic and taken in as the learner takes them. */
final class WindowRelay {

  private final LocalStack stack;
  private final TestRun run;
  private final RolloutContract contract;
  private List<Long> arrival = List.of();

  WindowRelay(LocalStack stack, TestRun run, RolloutContract contract) {
    this.stack = stack;
    this.run = run;
    this.contract = contract;
  }

  /** Group ids in the order in which the last relay received them. */
  List<Long> arrival() {
    return arrival;
  }

  /** The windows as they come out of a `rollouts` topic with that many partitions. */
  List<Window> through(int partitions, List<FixedWindow> windows) throws Exception {
    TopicSpec like = run.topics().rollouts();
    TopicSpec topic = new TopicSpec(like.name() + "-" + partitions, partitions, like.settings());
    try (RoleClients clients = new RoleClients(run.config())) {
      clients
          .learner(run.config().learnerSettings(Map.of()))
          .subjects()
          .provision(RecordTypes.schemas());
      clients
          .admin()
          .createTopics(
              List.of(new NewTopic(topic.name(), partitions, (short) 1).configs(topic.settings())))
          .all()
          .get();
    }
    try (RecordCodec codec = run.codec()) {
      for (FixedWindow window : windows) {
        for (RolloutGroup group : window.groups()) {
          run.publish(
              topic,
              topic.partitionOf(group.getGroupId()),
              RecordKeys.of(group.getGroupId()),
              codec.encode(topic.name(), group));
        }
      }
      return receive(topic, codec, windows);
    }
  }

  private List<Window> receive(TopicSpec topic, RecordCodec codec, List<FixedWindow> windows) {
    List<TopicPartition> partitions =
        IntStream.range(0, topic.partitions())
            .mapToObj(partition -> new TopicPartition(topic.name(), partition))
            .toList();
    Intake intake = intake(topic, windows.size());
    List<Long> received = new ArrayList<>();
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", stack.bootstrapServers(),
                "isolation.level", "read_committed",
                "auto.offset.reset", "earliest",
                "enable.auto.commit", "false"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(partitions);
      while (received.size() < windows.size() * FixedWindows.GROUPS) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(100))) {
          intake.accept(
              new RolloutCoordinate(record.partition(), record.offset()),
              record.value().length,
              codec.decode(topic.name(), record.value()),
              0);
          received.add(RecordKeys.number(record.key()).orElseThrow());
        }
      }
    }
    arrival = List.copyOf(received);
    return IntStream.range(0, windows.size()).mapToObj(intake::take).toList();
  }

  private Intake intake(TopicSpec topic, int windows) {
    DispatchBook book = new DispatchBook();
    for (long groupId = 0; groupId < (long) windows * FixedWindows.GROUPS; groupId++) {
      book.dispatch(groupId, 0, 0);
    }
    Map<Integer, PartitionCursor> cursors = new HashMap<>();
    for (int partition = 0; partition < topic.partitions(); partition++) {
      cursors.put(partition, new PartitionCursor(0, List.of()));
    }
    return new Intake(
        FixedWindows.RUN_ID,
        contract,
        DynamicSampling.OFF,
        book,
        FixedWindows.GROUPS,
        false,
        cursors);
  }
}
