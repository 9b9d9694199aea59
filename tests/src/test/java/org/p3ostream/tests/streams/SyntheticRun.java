package org.p3ostream.tests.streams;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Writes the log of a run as fast as the broker takes it: groups of many producers in transactions
 * of a window each, and two windows behind them the ledger events that train them. One group in two
 * hundred comes twice; the second is skipped, with a dead letter.
 */
public final class SyntheticRun implements AutoCloseable {
  private static final int AHEAD = 2;
  private static final int RESPONSES = 2;
  private static final int TOKENS = 24;

  /** A window that was published and not trained. */
  private record Published(long step, List<WindowEntry> groups, List<SkippedRecord> twice) {}

  private final TopicCatalogue topics;
  private final RecordCodec codec;
  private final KafkaProducer<byte[], byte[]> producer;
  private final int producers;
  private final int groupsPerWindow;
  private final Random random;
  private final Deque<Published> waiting = new ArrayDeque<>();
  private final Map<Integer, Long> nextOffsets = new HashMap<>();
  private final Sampling sampling =
      Sampling.newBuilder()
          .setTemperature(1)
          .setTopK(0)
          .setTopP(1)
          .setMinP(0)
          .setRepetitionPenalty(1)
          .setSeed(7)
          .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
          .setRenormalised(true)
          .setWeightPrecision("float32")
          .build();
  private long nextWindow;
  private long rollouts;
  private long rolloutBytes;

  /**
   * @param producers ids that take turns
   * @param groupsPerWindow groups of a window
   */
  public SyntheticRun(
      String bootstrapServers,
      TopicCatalogue topics,
      RecordCodec codec,
      int producers,
      int groupsPerWindow,
      long seed) {
    this.topics = topics;
    this.codec = codec;
    this.producers = producers;
    this.groupsPerWindow = groupsPerWindow;
    this.random = new Random(seed);
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "transactional.id",
                topics.prefix() + "synthetic",
                "compression.type",
                "lz4",
                "linger.ms",
                5,
                "batch.size",
                256 * 1024),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    producer.initTransactions();
    producer.beginTransaction();
    send(LedgerEvents.genesis(now()).setDispatched(dispatched(0, AHEAD)).build());
    producer.commitTransaction();
  }

  /** Publishes one more window and trains the one that is two behind it. */
  public void writeWindow() {
    producer.beginTransaction();
    List<Future<RecordMetadata>> sent = new ArrayList<>();
    List<Long> groups = new ArrayList<>();
    for (int slot = 0; slot < groupsPerWindow; slot++) {
      long group = nextWindow * groupsPerWindow + slot;
      publish(group, groups, sent);
      if (group % 200 == 17) {
        publish(group, groups, sent);
      }
    }
    producer.commitTransaction();
    waiting.add(published(groups, sent));
    nextWindow++;
    if (waiting.size() > AHEAD) {
      train(waiting.remove());
    }
  }

  /** Trains what is left. */
  public void finish() {
    while (!waiting.isEmpty()) {
      train(waiting.remove());
    }
  }

  /** Windows written. */
  public long windows() {
    return nextWindow;
  }

  /** Records of {@code rollouts} written. */
  public long rollouts() {
    return rollouts;
  }

  /** Their values, bytes before compression. */
  public long rolloutBytes() {
    return rolloutBytes;
  }

  @Override
  public void close() {
    producer.close();
  }

  private void publish(long group, List<Long> groups, List<Future<RecordMetadata>> sent) {
    byte[] value = codec.encode(topics.rollouts().name(), rollout(group));
    rollouts++;
    rolloutBytes += value.length;
    groups.add(group);
    sent.add(
        producer.send(
            new ProducerRecord<>(
                topics.rollouts().name(),
                topics.rollouts().partitionOf(group),
                RecordKeys.of(group),
                value)));
  }

  private Published published(List<Long> groups, List<Future<RecordMetadata>> sent) {
    List<WindowEntry> window = new ArrayList<>();
    List<SkippedRecord> twice = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      RecordMetadata at = at(sent.get(i));
      if (i > 0 && groups.get(i).equals(groups.get(i - 1))) {
        twice.add(new SkippedRecord(at.partition(), at.offset(), RejectionReason.DUPLICATE));
      } else {
        window.add(new WindowEntry(at.partition(), at.offset(), groups.get(i), 0, nextWindow));
      }
    }
    return new Published(nextWindow, window, twice);
  }

  private static RecordMetadata at(Future<RecordMetadata> sent) {
    try {
      return sent.get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException("not sent", e);
    }
  }

  private void train(Published window) {
    window
        .groups()
        .forEach(
            group ->
                nextOffsets.merge(group.getPartition(), group.getRecordOffset() + 1, Math::max));
    window
        .twice()
        .forEach(
            record ->
                nextOffsets.merge(record.getPartition(), record.getRecordOffset() + 1, Math::max));
    List<PartitionProgress> progress = new ArrayList<>();
    nextOffsets.forEach(
        (partition, next) ->
            progress.add(new PartitionProgress(partition, next, List.<Long>of(), List.of())));
    producer.beginTransaction();
    send(
        LedgerEvents.step(window.step(), now())
            .setWindow(window.groups())
            .setSkipped(window.twice())
            .setProgress(progress)
            .setDispatched(dispatched(window.step() + AHEAD, 1))
            .setRatioStatistics(ratios(window.step()))
            .build());
    window.twice().forEach(this::sendLetter);
    producer.commitTransaction();
  }

  /** Of 480 tokens of the version two back and 60 of the one before it. */
  private List<VersionRatioStatistics> ratios(long step) {
    return List.of(
        new VersionRatioStatistics(Math.max(0, step - 2), Math.log(480.0), Math.log(500.0), 480L),
        new VersionRatioStatistics(
            Math.max(0, step - 1), Math.log(60.0 + random.nextDouble()), Math.log(70.0), 60L));
  }

  private void send(StepEvent event) {
    byte[] value = codec.encode(topics.steps().name(), event);
    producer.send(
        new ProducerRecord<>(topics.steps().name(), 0, RecordKeys.of(event.getStep()), value));
  }

  private void sendLetter(SkippedRecord record) {
    DeadLetter letter =
        DeadLetter.newBuilder()
            .setRunId(LedgerEvents.RUN)
            .setSourceTopic(topics.rollouts().name())
            .setSourcePartition(record.getPartition())
            .setSourceOffset(record.getRecordOffset())
            .setReason(record.getReason())
            .setCause("came twice")
            .setValueBytes(500)
            .setRejectedAt(now())
            .build();
    String topic = topics.deadLetters().name();
    producer.send(new ProducerRecord<>(topic, 0, null, codec.encode(topic, letter)));
  }

  private List<DispatchedGroup> dispatched(long fromWindow, int windows) {
    List<DispatchedGroup> groups = new ArrayList<>();
    long end = (fromWindow + windows) * groupsPerWindow;
    for (long group = fromWindow * groupsPerWindow; group < end; group++) {
      groups.add(new DispatchedGroup(group, 0, fromWindow));
    }
    return groups;
  }

  private RolloutGroup rollout(long group) {
    List<Response> responses = new ArrayList<>();
    for (int i = 0; i < RESPONSES; i++) {
      responses.add(response());
    }
    return RolloutGroup.newBuilder()
        .setRunId(LedgerEvents.RUN)
        .setGroupId(group)
        .setWindowIndex(nextWindow)
        .setAttempt(0)
        .setPromptId("task-" + group % 3 + ":" + group)
        .setPromptTokens(List.of(1, 2, 3, 4, 5, 6, 7, 8))
        .setSamplesPerGroup(RESPONSES)
        .setModelHash("m")
        .setTokenizerHash("t")
        .setProducerId("producer-" + Math.floorMod(group * 7919, producers))
        .setGeneratedAt(now() - random.nextInt(40))
        .setGenerationMillis(30)
        .setResponses(responses)
        .build();
  }

  private Response response() {
    List<Integer> tokens = new ArrayList<>();
    List<Float> logprobs = new ArrayList<>();
    List<Boolean> mask = new ArrayList<>();
    for (int t = 0; t < TOKENS; t++) {
      tokens.add(random.nextInt(500));
      logprobs.add(-random.nextFloat());
      mask.add(true);
    }
    return Response.newBuilder()
        .setTokens(tokens)
        .setBehaviorLogprobs(logprobs)
        .setLossMask(mask)
        .setBehaviorLogprobMask(mask)
        .setReward(random.nextInt(3) / 3.0)
        .setFinishReason(random.nextInt(10) == 0 ? FinishReason.LENGTH : FinishReason.STOP)
        .setPolicyVersion(Math.max(0, nextWindow - AHEAD))
        .setVersionSegments(List.of())
        .setSampling(sampling)
        .build();
  }

  private static long now() {
    return System.currentTimeMillis();
  }
}
