package org.p3ostream.tests.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.SchemaRegistry;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/** A run on some brokers that suffers faults one after the other, audited after every one. */
final class DisturbedRun {

  /**
   * What is left when it has ended.
   *
   * @param abortedEvents step events that were written and never became visible
   * @param abortedRollouts rollout records likewise
   * @param resentSteps how often a learner sent a step's bytes again after an abort
   */
  record Result(
      List<Outcome> outcomes,
      long steps,
      long groupsTrained,
      long deadLetters,
      long abortedEvents,
      long abortedRollouts,
      long resentSteps,
      String weightsSha256) {}

  static final Duration SETTLING = Duration.ofSeconds(15);
  private static final Duration PATIENCE = Duration.ofSeconds(150);

  private final Path directory;
  private final Brokers brokers;
  private final SchemaRegistry registry;
  private final Twin twin;
  private final Consumer<Outcome> progress;

  /**
   * @param progress told of every fault that was survived
   */
  DisturbedRun(
      Path directory,
      Brokers brokers,
      SchemaRegistry registry,
      Twin twin,
      Consumer<Outcome> progress) {
    this.directory = directory;
    this.brokers = brokers;
    this.registry = registry;
    this.twin = twin;
    this.progress = progress;
  }

  /** Windows that a run of so many faults trains. */
  static long steps(int faults) {
    return (faults + 1L) * FaultSchedule.WINDOWS_PER_FAULT;
  }

  /**
   * Runs to the end.
   *
   * @throws IllegalStateException naming the fault that was not survived
   */
  Result suffer(List<Fault> faults) throws Exception {
    Files.createDirectories(directory);
    try (SmallDisk disk = SmallDisk.at(directory.resolve("disk"))) {
      SoakRun run =
          SoakRun.create(
              directory,
              disk.root().resolve("checkpoints"),
              brokers.bootstrapServers(),
              registry.url(),
              brokers.name() + ".",
              brokers.replication(),
              steps(faults.size()));
      Gate gate = new Gate(directory.resolve("gate"));
      gate.open(0);
      try (Crew crew = new Crew(directory, run.configuration(), gate);
          RoleClients clients = new RoleClients(run.config());
          KafkaProducer<byte[], byte[]> producer = producer()) {
        return suffer(faults, run, gate, crew, disk, clients, producer);
      }
    }
  }

  private Result suffer(
      List<Fault> faults,
      SoakRun run,
      Gate gate,
      Crew crew,
      SmallDisk disk,
      RoleClients clients,
      KafkaProducer<byte[], byte[]> producer)
      throws Exception {
    TopicCatalogue topics = new TopicCatalogue(run.config().run().topicPrefix());
    crew.start(Role.LEARNER);
    awaitTopics(clients.admin(), topics, crew);
    for (Role role : List.of(Role.PRODUCER_1, Role.PRODUCER_2, Role.STREAMS)) {
      crew.start(role);
    }
    IndependentAudit audit = new IndependentAudit(topics);
    RunLog log = new RunLog(clients.reader(), clients.codec(), topics, audit);
    Stranger stranger = new Stranger(producer, clients.codec(), topics);
    Disturbance disturbance =
        new Disturbance(crew, gate, log, audit, brokers, registry, disk, stranger, twin, topics);
    List<Outcome> outcomes = new ArrayList<>();
    for (Fault fault : faults) {
      long start = System.nanoTime();
      int exitsBefore = crew.exits().size();
      long target = (outcomes.size() + 1L) * FaultSchedule.WINDOWS_PER_FAULT;
      long recoveryMs;
      try {
        recoveryMs = disturbance.survive(fault, target);
      } catch (RuntimeException e) {
        Diagnosis.write(directory, clients.admin(), crew.all());
        brokers.keepData();
        throw new IllegalStateException(
            "fault " + fault + " on " + brokers.name() + ": " + e.getMessage(), e);
      }
      IndependentAudit.Verdict verdict =
          settledVerdict(log, audit)
              .and(
                  RunAudit.of(run.ofReaders()), topics.prompts().name(), stranger.foreignPrompts());
      Outcome outcome =
          new Outcome(
              fault,
              brokers.name(),
              recoveryMs,
              (System.nanoTime() - start) / 1_000_000,
              List.copyOf(crew.exits().subList(exitsBefore, crew.exits().size())),
              verdict);
      outcomes.add(outcome);
      progress.accept(outcome);
      if (!verdict.ok()) {
        throw new IllegalStateException("after fault " + fault + ": " + verdict.problems());
      }
    }
    IndependentAudit again = new IndependentAudit(topics);
    try {
      finish(steps(faults.size()), gate, crew, log, audit);
      new RunLog(clients.reader(), clients.codec(), topics, again).catchUp();
      IndependentAudit.Verdict verdict = again.verdict(twin.digests());
      require(verdict.ok(), "read once more: " + verdict.problems());
      again.requireMetricsOnce(steps(faults.size()));
    } catch (RuntimeException e) {
      Diagnosis.write(directory, clients.admin(), crew.all());
      brokers.keepData();
      throw new IllegalStateException(
          "at the end, on " + brokers.name() + ": " + e.getMessage(), e);
    }
    List<StepEvent> events = again.events();
    return new Result(
        outcomes,
        again.nextWindow(),
        events.stream()
            .filter(e -> e.getKind() == StepKind.STEP)
            .mapToLong(e -> e.getWindow().size())
            .sum(),
        again.deadLetters(),
        aborted(topics.steps()),
        aborted(topics.rollouts()),
        resentSteps(),
        again.digests().get(again.digests().size() - 1));
  }

  private static void awaitTopics(Admin admin, TopicCatalogue topics, Crew crew) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    List<String> expected = topics.all().stream().map(TopicSpec::name).toList();
    while (!names(admin).containsAll(expected)) {
      require(System.nanoTime() < deadline, "the learner made no topics");
      crew.get(Role.LEARNER).requireAlive();
      LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
    }
  }

  /** Of its topics; none while a broker that is still busy starting answers too late. */
  private static Set<String> names(Admin admin) throws InterruptedException {
    try {
      return admin.listTopics().names().get();
    } catch (ExecutionException e) {
      return Set.of();
    }
  }

  /** The markers of one transaction reach its partitions one after the other. */
  private IndependentAudit.Verdict settledVerdict(RunLog log, IndependentAudit audit) {
    long deadline = System.nanoTime() + SETTLING.toNanos();
    while (true) {
      log.catchUp();
      IndependentAudit.Verdict verdict = audit.verdict(twin.digests());
      if (verdict.ok() || System.nanoTime() > deadline) {
        return verdict;
      }
      log.poll(Duration.ofMillis(50));
    }
  }

  private static void finish(long steps, Gate gate, Crew crew, RunLog log, IndependentAudit audit) {
    crew.release(Role.LEARNER);
    gate.open(Long.MAX_VALUE);
    ChildProcess learner = crew.get(Role.LEARNER);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (learner.isAlive() || audit.nextWindow() < steps || audit.metricPoints(steps - 1) == 0) {
      require(System.nanoTime() < deadline, "learner or metrics did not come to the end");
      log.poll(Duration.ofMillis(50));
      crew.supervise();
    }
    require(learner.exitCode() == 0, "the learner ended with " + learner.exitCode());
  }

  private KafkaProducer<byte[], byte[]> producer() {
    return new KafkaProducer<>(
        Map.of("bootstrap.servers", brokers.bootstrapServers(), "acks", "all"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }

  /** Records that are in the log and belong to no committed transaction. */
  private long aborted(TopicSpec topic) {
    Set<String> committed = coordinates(topic, "read_committed");
    Set<String> written = coordinates(topic, "read_uncommitted");
    written.removeAll(committed);
    return written.size();
  }

  private Set<String> coordinates(TopicSpec topic, String isolation) {
    List<TopicPartition> partitions = new ArrayList<>();
    for (int partition = 0; partition < topic.partitions(); partition++) {
      partitions.add(new TopicPartition(topic.name(), partition));
    }
    try (KafkaConsumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                brokers.bootstrapServers(),
                "isolation.level",
                isolation,
                "auto.offset.reset",
                "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      consumer.assign(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      Set<String> found = new HashSet<>();
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        consumer
            .poll(Duration.ofMillis(100))
            .forEach(record -> found.add(record.partition() + "@" + record.offset()));
      }
      return found;
    }
  }

  private long resentSteps() throws Exception {
    long count = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file :
          files.filter(f -> f.getFileName().toString().matches("learner.*\\.log")).toList()) {
        try (Stream<String> lines = Files.lines(file)) {
          count += lines.filter(line -> line.contains("sending the same bytes again")).count();
        }
      }
    }
    return count;
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException(otherwise);
    }
  }
}
