package org.p3ostream.tests.support;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.runtime.Learner;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.rolloutproducer.runtime.ProducerClients;
import org.p3ostream.rolloutproducer.runtime.RolloutProducer;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/** A run with its own topics and files on the shared stack: the nano model from random weights. */
public final class TestRun {

  /** Longest that any single condition may take before a test is given up as hung. */
  private static final Duration PATIENCE = Duration.ofMinutes(8);

  private final LocalStack stack;
  private final Path directory;
  private final List<String> settings;
  private final String prefix = "t" + UUID.randomUUID().toString().substring(0, 8) + ".";

  /**
   * @param directory holds model, prompts and checkpoints
   * @param overrides {@code path=value}
   */
  public TestRun(LocalStack stack, Path directory, String... overrides) throws IOException {
    this.stack = stack;
    this.directory = Files.createDirectories(directory);
    writeModelAndPrompts();
    settings =
        new ArrayList<>(
            List.of(
                "kafka.bootstrap.servers=" + stack.bootstrapServers(),
                "registry.url=" + stack.registryUrl(),
                "run.id=test",
                "run.seed=1",
                "run.topicPrefix=" + prefix,
                "model.directory=" + directory.resolve("model"),
                "sampling.maxResponseTokens=9",
                "sampling.samplesPerGroup=4",
                "dispatch.groupsPerWindow=4",
                "learner.checkpointDirectory=" + directory.resolve("checkpoints")));
    settings.addAll(List.of(overrides));
    if (settings.stream().noneMatch(setting -> setting.startsWith("prompts."))) {
      settings.add("prompts.file=" + directory.resolve("prompts.jsonl"));
    }
  }

  /**
   * A run whose random weights are rewarded now and then, so that every update moves them by more
   * than rounding: where weights are compared, those of a run without any reward would be equal
   * whatever happened to it.
   */
  public static TestRun rewarded(LocalStack stack, Path directory, String... overrides)
      throws IOException {
    Path prompts = Files.createDirectories(directory).resolve("rewarded.jsonl");
    PromptFile.write(
        prompts,
        SyntheticTask.CSUM8.generate(64, 5).stream()
            .map(example -> new PromptExample(example.prompt(), "[^0-4]*[0-4][^5-9]*"))
            .toList());
    List<String> all = new ArrayList<>(List.of("prompts.reward=regex", "prompts.file=" + prompts));
    all.addAll(List.of(overrides));
    return new TestRun(stack, directory, all.toArray(String[]::new));
  }

  private void writeModelAndPrompts() throws IOException {
    Path tokenizer = directory.resolve("tokenizer.json");
    NanoModel.copyTokenizer(tokenizer);
    ModelDirectory.save(
        directory.resolve("model"),
        NanoModel.config(),
        ParameterInitializer.initialize(NanoModel.config(), 3),
        tokenizer);
    PromptFile.write(directory.resolve("prompts.jsonl"), SyntheticTask.CSUM8.generate(64, 5));
  }

  public Path directory() {
    return directory;
  }

  public TopicCatalogue topics() {
    return new TopicCatalogue(prefix);
  }

  /** The configuration with further overrides. */
  public P3oConfig config(String... overrides) {
    List<String> all = new ArrayList<>(settings);
    all.addAll(List.of(overrides));
    return ConfigLoader.load(null, all);
  }

  /** Arguments of a command that is to run in a process of its own. */
  public List<String> commandLine(String command, String... overrides) {
    List<String> all = new ArrayList<>(settings);
    all.addAll(List.of(overrides));
    List<String> arguments = new ArrayList<>(List.of(command));
    for (String setting : all) {
      arguments.addAll(List.of("--set", setting));
    }
    return arguments;
  }

  public RunningRole learner(String... overrides) {
    return learner(learner -> learner, overrides);
  }

  /** A learner that passes windows instead of training them. */
  public RunningRole learnerSkipping(List<Long> windows, String... overrides) {
    return learner(learner -> learner.skipWindows(windows), overrides);
  }

  /** A learner that goes on with another configuration than the one in force. */
  public RunningRole learnerThatAcceptsAChange(String... overrides) {
    return learner(learner -> learner.acceptConfigurationChange(true), overrides);
  }

  private RunningRole learner(UnaryOperator<Learner> request, String... overrides) {
    P3oConfig config = config(overrides);
    RoleClients clients = new RoleClients(config);
    Learner learner =
        new Learner(
            config.learnerSettings(Map.of()),
            clients.learner(config.learnerSettings(Map.of())),
            Clock.systemUTC());
    Learner asked = request.apply(learner);
    return new RunningRole("learner", clients, asked::run, asked::stop);
  }

  public RunningRole producer(String id, String... overrides) {
    return producer(id, clients -> clients, overrides);
  }

  /** A producer with other clients than its own. */
  public RunningRole producer(
      String id, UnaryOperator<ProducerClients> others, String... overrides) {
    List<String> all = new ArrayList<>(List.of("producer.id=" + id));
    all.addAll(List.of(overrides));
    P3oConfig config = config(all.toArray(String[]::new));
    RoleClients clients = new RoleClients(config);
    RolloutProducer producer =
        new RolloutProducer(
            config.producerSettings(),
            others.apply(clients.producer(config.producerSettings())),
            Clock.systemUTC());
    return new RunningRole("producer-" + id, clients, producer::run, producer::stop);
  }

  public RecordCodec codec() {
    return RecordCodec.create(
        config().serde().serializerClass(),
        config().serde().deserializerClass(),
        config().serde().settingsOver(config().registry().settings()));
  }

  /** Publishes a raw value on a partition of a topic. */
  public void publish(TopicSpec topic, int partition, byte[] key, byte[] value) {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.bootstrapServers(), "acks", "all"),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.send(new ProducerRecord<>(topic.name(), partition, key, value)).get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException("publishing to " + topic.name(), e);
    }
  }

  /** Removes what a learner would start from. */
  public void deleteCheckpoints() throws IOException {
    try (Stream<Path> entries = Files.walk(directory.resolve("checkpoints"))) {
      for (Path entry : entries.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(entry);
      }
    }
  }

  /** Every committed record of a topic, by partition and offset. */
  public List<ConsumerRecord<byte[], byte[]>> records(TopicSpec topic) {
    List<TopicPartition> partitions =
        IntStream.range(0, topic.partitions())
            .mapToObj(partition -> new TopicPartition(topic.name(), partition))
            .toList();
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
      Map<TopicPartition, Long> ends = Markers.written(stack.bootstrapServers(), partitions);
      List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
      return records;
    }
  }

  /**
   * Returns once everything that was committed can be seen: the markers of one transaction reach
   * its partitions one after the other, on a busy machine within some tenths of a second. For what
   * is read by the product itself, which shows what can be seen.
   */
  public void awaitMarkers() {
    topics().all().forEach(this::records);
  }

  /** Every committed value of a topic that is of the given type. */
  public <T extends SpecificRecord> List<T> values(TopicSpec topic, Class<T> type) {
    try (RecordCodec codec = codec()) {
      List<T> values = new ArrayList<>();
      for (ConsumerRecord<byte[], byte[]> record : records(topic)) {
        if (codec.decode(topic.name(), record.value()) instanceof Decoded.Accepted accepted
            && type.isInstance(accepted.record())) {
          values.add(type.cast(accepted.record()));
        }
      }
      return values;
    }
  }

  /** The ledger as it is now. */
  public List<StepEvent> ledger() {
    return values(topics().steps(), StepEvent.class);
  }

  /** STEP events as they are now. */
  public List<StepEvent> steps() {
    return ledger().stream().filter(event -> event.getKind() == StepKind.STEP).toList();
  }

  /** Returns once GENESIS is committed, hence all topics exist. */
  public void awaitGenesis(RunningRole learner) {
    until(
        "GENESIS",
        () -> {
          failIfEnded(learner);
          return topicsExist() && !ledger().isEmpty();
        });
  }

  /** Returns once that many STEP events are committed. */
  public void awaitSteps(int count) {
    until(count + " steps", () -> topicsExist() && steps().size() >= count);
  }

  /** Returns once that many producers share the prompts. */
  public void awaitProducers(int count) {
    String group = config().producerSettings().groupId();
    try (RoleClients clients = new RoleClients(config())) {
      Admin admin = clients.admin();
      until(
          count + " producers",
          () -> {
            ConsumerGroupDescription description = description(admin, group);
            return description != null
                && description.groupState() == GroupState.STABLE
                && description.members().stream()
                        .filter(member -> !member.assignment().topicPartitions().isEmpty())
                        .count()
                    == count;
          });
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Null while there is no such group. */
  private static ConsumerGroupDescription description(Admin admin, String group) throws Exception {
    try {
      return admin.describeConsumerGroups(List.of(group)).all().get().get(group);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return null;
      }
      throw e;
    }
  }

  /** Prompts that the producers of a run id have not taken; all of them if none has committed. */
  public long lag(String runId) throws Exception {
    String group = config("run.id=" + runId).producerSettings().groupId();
    try (RoleClients clients = new RoleClients(config())) {
      Map<TopicPartition, OffsetAndMetadata> committed =
          clients.admin().listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
      return records(topics().prompts()).stream()
          .filter(
              record -> {
                OffsetAndMetadata next =
                    committed.get(new TopicPartition(record.topic(), record.partition()));
                return next == null || record.offset() >= next.offset();
              })
          .count();
    }
  }

  /** What the producers have noted beside the offsets they committed, where they noted anything. */
  public List<String> startNotes() throws Exception {
    String group = config().producerSettings().groupId();
    try (RoleClients clients = new RoleClients(config())) {
      return clients
          .admin()
          .listConsumerGroupOffsets(group)
          .partitionsToOffsetAndMetadata()
          .get()
          .values()
          .stream()
          .map(OffsetAndMetadata::metadata)
          .filter(note -> !note.isEmpty())
          .toList();
    }
  }

  /** Waits for a condition. */
  public static void until(String what, java.util.concurrent.Callable<Boolean> condition) {
    await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(100)).until(condition);
  }

  /** Whether the learner has created the topics. */
  public boolean topicsExist() {
    try (RoleClients clients = new RoleClients(config())) {
      return clients.admin().listTopics().names().get().contains(topics().steps().name());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static void failIfEnded(RunningRole role) throws InterruptedException {
    if (role.hasEnded()) {
      throw new AssertionError("the role ended", role.failure());
    }
  }
}
