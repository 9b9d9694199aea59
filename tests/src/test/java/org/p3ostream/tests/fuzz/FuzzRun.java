package org.p3ostream.tests.fuzz;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicSpec;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/**
 * A learner whose only producer is a fuzzer. The learner takes the noise in front of an answer
 * before the answer, so both go at the learner's pace, and when the last window is trained every
 * record has been taken: its answers are the last record of each partition.
 */
final class FuzzRun {

  private static final int TENTHS = 10;

  /** Chances that an answer is broken; every one of them costs the group an attempt. */
  private static final double BROKEN = 0.6;

  private static final int MOST_ATTEMPTS = 7;

  private final TestRun run;
  private final long records;
  private final int windows;
  private final SplittableRandom random;
  private final long seed;
  private final Consumer<String> out;
  private final int groupsPerWindow;
  private final Labels labels;
  private final Set<Long> answered = new HashSet<>();
  private final Deque<PromptTask> lastWindow = new ArrayDeque<>();
  private final List<Long> heapBytes = new ArrayList<>();
  private long sent;
  private long tenthNanos = System.nanoTime();

  /**
   * @param records to be sent, at least
   * @param windows to be trained
   * @param out told what every tenth of the records took
   */
  FuzzRun(
      LocalStack stack,
      Path directory,
      long records,
      int windows,
      long seed,
      Consumer<String> out,
      String... overrides)
      throws IOException {
    this.run = new TestRun(stack, directory, overrides);
    this.records = records;
    this.windows = windows;
    this.seed = seed;
    this.random = new SplittableRandom(~seed);
    this.out = out;
    this.groupsPerWindow = run.config().dispatch().groupsPerWindow();
    this.labels = new Labels(run.topics().rollouts().partitions());
    if (groupsPerWindow != labels.partitions()) {
      throw new IllegalArgumentException("the last window must have one group per partition");
    }
  }

  TestRun run() {
    return run;
  }

  Labels labels() {
    return labels;
  }

  /** Bytes in use after a collection, when each tenth of the records was sent. */
  List<Long> heapBytes() {
    return heapBytes;
  }

  /** Sends everything; returns when the learner has trained the last window. */
  void play() throws Throwable {
    try (RunningRole learner = run.learner("learner.steps=" + windows);
        RecordCodec codec = run.codec();
        KafkaConsumer<byte[], byte[]> prompts = consumer();
        KafkaProducer<byte[], byte[]> producer = producer()) {
      run.awaitGenesis(learner);
      RolloutFuzz fuzz =
          new RolloutFuzz(seed, codec, run.topics().rollouts(), identity(), groupsPerWindow);
      TopicSpec topic = run.topics().prompts();
      prompts.assign(
          IntStream.range(0, topic.partitions())
              .mapToObj(p -> new TopicPartition(topic.name(), p))
              .toList());
      while (lastWindow.size() < groupsPerWindow || answered.size() < lastGroups()) {
        if (learner.hasEnded()) {
          throw new AssertionError("the learner ended", learner.failure());
        }
        for (ConsumerRecord<byte[], byte[]> record : prompts.poll(Duration.ofMillis(50))) {
          if (codec.decode(topic.name(), record.value()) instanceof Decoded.Accepted accepted
              && accepted.record() instanceof PromptTask task) {
            take(task, fuzz, producer);
          }
        }
      }
      conclude(fuzz, producer);
      learner.join();
    }
  }

  private long lastGroups() {
    return (windows - 1L) * groupsPerWindow;
  }

  private void take(PromptTask task, RolloutFuzz fuzz, KafkaProducer<byte[], byte[]> producer) {
    if (task.getWindowIndex() >= windows) {
      return;
    }
    if (task.getWindowIndex() == windows - 1) {
      lastWindow.add(task);
      return;
    }
    long share = records / (lastGroups() + 1) / (task.getAttempt() == 0 ? 1 : 4);
    for (long i = 0; i < share && sent < records; i++) {
      send(fuzz.noise(task), producer);
    }
    if (task.getAttempt() < MOST_ATTEMPTS && random.nextDouble() < BROKEN) {
      send(fuzz.brokenAnswer(task), producer);
    } else {
      send(fuzz.goodAnswer(task), producer);
      answered.add(task.getGroupId());
    }
    producer.flush();
  }

  private void conclude(RolloutFuzz fuzz, KafkaProducer<byte[], byte[]> producer) {
    while (sent < records) {
      send(fuzz.noise(lastWindow.getFirst()), producer);
    }
    producer.flush();
    lastWindow.forEach(task -> send(fuzz.goodAnswer(task), producer));
    producer.flush();
  }

  private void send(FuzzedRecord record, KafkaProducer<byte[], byte[]> producer) {
    producer.send(
        new ProducerRecord<>(
            run.topics().rollouts().name(), record.partition(), null, record.value()),
        (metadata, failure) -> {
          if (failure == null) {
            labels.put(metadata.partition(), metadata.offset(), record.label());
          }
        });
    sent++;
    if (sent * TENTHS / records > (sent - 1) * TENTHS / records && sent <= records) {
      tenth();
    }
  }

  private void tenth() {
    long now = System.nanoTime();
    System.gc();
    long used = heapAfterCollection();
    heapBytes.add(used);
    out.accept(
        "%7d records: %6.0f records/s, %5.1f MB of heap in use after a collection"
            .formatted(sent, records / (double) TENTHS * 1e9 / (now - tenthNanos), used / 1e6));
    tenthNanos = System.nanoTime();
  }

  /** Of the collection itself: other threads go on allocating at once. */
  private static long heapAfterCollection() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP && pool.getCollectionUsage() != null)
        .mapToLong(pool -> pool.getCollectionUsage().getUsed())
        .sum();
  }

  private RolloutFuzz.Identity identity() {
    try (Tokenizer tokenizer = Tokenizer.load(run.directory().resolve("tokenizer.json"))) {
      return new RolloutFuzz.Identity(
          run.config().run().id(),
          ParameterLayout.of(NanoModel.config()).modelHash(),
          tokenizer.sha256(),
          NanoModel.config().vocabSize(),
          run.config().sampling().maxResponseTokens());
    }
  }

  private KafkaConsumer<byte[], byte[]> consumer() {
    return new KafkaConsumer<>(
        Map.of(
            "bootstrap.servers", run.config().bootstrapServers(),
            "isolation.level", "read_committed",
            "auto.offset.reset", "earliest",
            "enable.auto.commit", "false"),
        new ByteArrayDeserializer(),
        new ByteArrayDeserializer());
  }

  private KafkaProducer<byte[], byte[]> producer() {
    return new KafkaProducer<>(
        Map.of(
            "bootstrap.servers", run.config().bootstrapServers(),
            "compression.type", "lz4",
            "linger.ms", "5",
            "max.request.size", "16777216"),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }
}
