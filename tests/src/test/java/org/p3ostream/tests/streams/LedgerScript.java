package org.p3ostream.tests.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Writes a run's {@code rollouts} and {@code steps} as producers and a learner do: in transactions,
 * groups to partition groupId mod 4, progress by coordinates. Trains every window on what it
 * published for it.
 */
public final class LedgerScript implements AutoCloseable {
  public static final String RUN = LedgerEvents.RUN;

  private final TopicCatalogue topics;
  private final RecordCodec codec;
  private final KafkaProducer<byte[], byte[]> producer;
  private final Map<Integer, Long> nextOffsets = new HashMap<>();
  private long nextGroup;

  public LedgerScript(String bootstrapServers, TopicCatalogue topics, RecordCodec codec) {
    this.topics = topics;
    this.codec = codec;
    this.producer =
        new KafkaProducer<>(
            Map.of(
                "bootstrap.servers", bootstrapServers, "transactional.id", topics.prefix() + "it"),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    producer.initTransactions();
  }

  /** Publishes a group with these rewards, committed. */
  public WindowEntry publish(double... rewards) {
    long group = nextGroup++;
    RolloutGroup rollout = rollout(group, rewards);
    RecordMetadata at =
        committed(groupRecord(group, codec.encode(topics.rollouts().name(), rollout)));
    return new WindowEntry(at.partition(), at.offset(), group, 0, 0L);
  }

  /**
   * Publishes a group in a transaction that is aborted: offsets are used up, nothing is visible.
   */
  void publishAborted() {
    long group = nextGroup;
    byte[] value = codec.encode(topics.rollouts().name(), rollout(group, 100));
    producer.beginTransaction();
    Future<RecordMetadata> sent = producer.send(groupRecord(group, value));
    producer.flush();
    assertThat(sent).isDone();
    producer.abortTransaction();
  }

  /** Publishes bytes that are no record to the partition of group 0. */
  void publishNoise() {
    committed(groupRecord(0, new byte[] {42, 42, 42}));
  }

  /** Commits a step trained on {@code window}, all it holds being consumed up to there. */
  public void commitStep(long step, List<WindowEntry> window) {
    for (WindowEntry group : window) {
      nextOffsets.merge(group.getPartition(), group.getRecordOffset() + 1, Math::max);
    }
    commit(
        LedgerEvents.step(step, System.currentTimeMillis())
            .setWindow(window)
            .setProgress(progress())
            .build());
  }

  /** Commits steps {@code from} to before {@code end}, without groups, 50 ms apart, all at once. */
  public void commitStepsAtOnce(long from, long end) {
    long now = System.currentTimeMillis();
    producer.beginTransaction();
    for (long step = from; step < end; step++) {
      byte[] value =
          codec.encode(
              topics.steps().name(),
              LedgerEvents.step(step, now - 50 * (end - step)).setProgress(progress()).build());
      producer.send(new ProducerRecord<>(topics.steps().name(), 0, RecordKeys.of(step), value));
    }
    producer.commitTransaction();
  }

  /** Commits the event that opens a run. */
  public void commitGenesis() {
    commit(LedgerEvents.genesis(System.currentTimeMillis()).build());
  }

  private void commit(StepEvent event) {
    byte[] value = codec.encode(topics.steps().name(), event);
    committed(
        new ProducerRecord<>(topics.steps().name(), 0, RecordKeys.of(event.getStep()), value));
  }

  @Override
  public void close() {
    producer.close();
  }

  private ProducerRecord<byte[], byte[]> groupRecord(long group, byte[] value) {
    return new ProducerRecord<>(
        topics.rollouts().name(),
        topics.rollouts().partitionOf(group),
        RecordKeys.of(group),
        value);
  }

  private RecordMetadata committed(ProducerRecord<byte[], byte[]> record) {
    producer.beginTransaction();
    Future<RecordMetadata> sent = producer.send(record);
    producer.commitTransaction();
    try {
      return sent.get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException("not sent: " + record, e);
    }
  }

  private List<PartitionProgress> progress() {
    List<PartitionProgress> progress = new ArrayList<>();
    nextOffsets.forEach(
        (partition, next) ->
            progress.add(new PartitionProgress(partition, next, List.<Long>of(), List.of())));
    return progress;
  }

  private static RolloutGroup rollout(long group, double... rewards) {
    List<Response> responses = new ArrayList<>();
    for (double reward : rewards) {
      responses.add(response(reward));
    }
    return RolloutGroup.newBuilder()
        .setRunId(RUN)
        .setGroupId(group)
        .setWindowIndex(0)
        .setAttempt(0)
        .setPromptId("p" + group)
        .setPromptTokens(List.of(1))
        .setSamplesPerGroup(rewards.length)
        .setModelHash("m")
        .setTokenizerHash("t")
        .setProducerId("it")
        .setGeneratedAt(System.currentTimeMillis())
        .setGenerationMillis(1)
        .setResponses(responses)
        .build();
  }

  private static Response response(double reward) {
    Sampling sampling =
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
    return Response.newBuilder()
        .setTokens(List.of(3))
        .setBehaviorLogprobs(List.of(-0.5f))
        .setLossMask(List.of(true))
        .setBehaviorLogprobMask(List.of(true))
        .setReward(reward)
        .setFinishReason(FinishReason.STOP)
        .setPolicyVersion(0)
        .setVersionSegments(List.of())
        .setSampling(sampling)
        .build();
  }
}
