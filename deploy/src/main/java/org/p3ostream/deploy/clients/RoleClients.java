package org.p3ostream.deploy.clients;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.meters.ClientMeters;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.runtime.LearnerClients;
import org.p3ostream.learner.runtime.LogReaders;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.rolloutproducer.config.ProducerSettings;
import org.p3ostream.rolloutproducer.runtime.ProducerClients;
import org.p3ostream.schemas.registry.SubjectProvisioner;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.streams.lookup.TokenDecoder;
import org.p3ostream.streams.lookup.TokenRatios;
import org.p3ostream.streams.runtime.StreamsClients;

/** Builds the clients of one role and closes all of them at the end. */
public final class RoleClients implements AutoCloseable {

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final P3oConfig config;
  private final ClientProperties properties;
  private final ClientMeters meters;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  public RoleClients(P3oConfig config) {
    this(config, ClientMeters.none());
  }

  /**
   * @param meters told of every client
   */
  public RoleClients(P3oConfig config, ClientMeters meters) {
    this.config = config;
    this.meters = meters;
    this.properties = new ClientProperties(config.kafka());
  }

  /**
   * Returns once a broker answers.
   *
   * @param notice told about every failed attempt
   * @throws BrokerUnreachableException naming the address if none answers within {@code timeout}
   */
  public void awaitBroker(Duration timeout, Consumer<String> notice) {
    Admin admin = Admin.create(properties.admin());
    try {
      new BrokerProbe(admin, config.bootstrapServers(), notice).await(timeout);
    } finally {
      admin.close(Duration.ZERO); // a pending call would hold the close for a minute
    }
  }

  /**
   * Returns once the schema registry answers.
   *
   * @param notice told every few seconds that it does not yet
   * @throws RegistryUnreachableException naming the address if none answers within {@code timeout}
   */
  public void awaitRegistry(Duration timeout, Consumer<String> notice) {
    new RegistryProbe(config.registry(), notice).await(timeout);
  }

  /** An admin client. */
  public Admin admin() {
    Admin admin = closedAtTheEnd(Admin.create(properties.admin()), a -> a.close(CLOSE_TIMEOUT));
    meters.bind(admin);
    return admin;
  }

  private KafkaProducer<byte[], byte[]> producer(Map<String, Object> producerProperties) {
    KafkaProducer<byte[], byte[]> producer =
        closedAtTheEnd(new KafkaProducer<>(producerProperties), p -> p.close(CLOSE_TIMEOUT));
    meters.bind(producer);
    return producer;
  }

  /** A consumer that assigns and seeks, without a group. */
  public KafkaConsumer<byte[], byte[]> reader() {
    return consumer(properties.reader());
  }

  /** A reader that looks for single versions of the weights. */
  private KafkaConsumer<byte[], byte[]> snapshotReader() {
    return consumer(properties.snapshotReader());
  }

  private KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> consumerProperties) {
    KafkaConsumer<byte[], byte[]> consumer =
        closedAtTheEnd(new KafkaConsumer<>(consumerProperties), RoleClients::close);
    meters.bind(consumer);
    return consumer;
  }

  /** The clients of a learner. */
  public LearnerClients learner(LearnerSettings settings) {
    return new LearnerClients(
        admin(),
        producer(properties.learnerProducer(settings.transactionalId(), snapshotOf(settings))),
        consumer(properties.groupMember(settings.run().topicPrefix() + "learner")),
        reader(),
        snapshotReader(),
        codec(),
        SubjectProvisioner.of(serdeSettings()));
  }

  /** A model that cannot be read is the learner's to complain about. */
  private static SnapshotBudget snapshotOf(LearnerSettings settings) {
    try {
      ModelConfig model = ModelDirectory.loadConfig(Path.of(settings.model().directory()));
      return new SnapshotBudget((long) ParameterLayout.of(model).size() * Float.BYTES);
    } catch (IllegalArgumentException | ArithmeticException | UncheckedIOException e) {
      return new SnapshotBudget(0);
    }
  }

  /** What it takes to read the logs of runs. */
  public LogReaders logReaders() {
    return new LogReaders(reader(), reader(), snapshotReader(), codec());
  }

  /** The clients of a rollout producer. */
  public ProducerClients producer(ProducerSettings settings) {
    return new ProducerClients(
        admin(),
        producer(properties.producer(settings.transactionalId())),
        consumer(properties.promptReader(settings.groupId(), settings.producer().maxPollPrompts())),
        reader(),
        codec());
  }

  /**
   * What the metrics service builds its clients from.
   *
   * @param tokens texts of tokens
   */
  public StreamsClients streams(TokenDecoder tokens, TokenRatios ratios) {
    return new StreamsClients(config.kafka(), this::newCodec, tokens, ratios);
  }

  /**
   * A codec with the serde of the configuration.
   *
   * @throws ConfigException naming the class that cannot be used, and why
   */
  public RecordCodec codec() {
    return closedAtTheEnd(newCodec(), RecordCodec::close);
  }

  private RecordCodec newCodec() {
    try {
      return RecordCodec.create(
          config.serde().serializerClass(), config.serde().deserializerClass(), serdeSettings());
    } catch (IllegalArgumentException e) {
      throw new ConfigException("serde: " + e.getMessage());
    }
  }

  private Map<String, String> serdeSettings() {
    return config.serde().settingsOver(config.registry().settings());
  }

  /** Closes what was built, newest first. */
  @Override
  public void close() throws Exception {
    meters.close();
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  private static void close(KafkaConsumer<byte[], byte[]> consumer) {
    consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
  }

  private <T> T closedAtTheEnd(T client, Consumer<T> close) {
    open.push(() -> close.accept(client));
    return client;
  }
}
