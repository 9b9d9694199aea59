package org.p3ostream.rolloutproducer.runtime;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.policy.sampling.RecordedLogprob;
import org.p3ostream.rolloutproducer.LogConsumer;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.TaggedAvro;
import org.p3ostream.rolloutproducer.Weights;
import org.p3ostream.rolloutproducer.backlog.PromptBacklog;
import org.p3ostream.rolloutproducer.config.ProducerConfig;
import org.p3ostream.rolloutproducer.generation.GroupAssembler;
import org.p3ostream.rolloutproducer.generation.GroupSource;
import org.p3ostream.rolloutproducer.generation.Mixture;
import org.p3ostream.rolloutproducer.snapshot.SnapshotLog;
import org.p3ostream.rolloutproducer.snapshot.VersionCache;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.Sampling;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.PolicyWeights;
import org.p3ostream.schemas.snapshot.SnapshotFollower;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;

/** A serving loop over mock clients, and a source of groups that says what it was asked for. */
final class LoopHarness implements AutoCloseable {

  private static final int TURNS = 500;
  private static final TopicPartition SNAPSHOTS = new TopicPartition("snapshots", 0);

  final LogConsumer prompts = new LogConsumer();
  final LogConsumer snapshots = new LogConsumer();
  final RefusingProducer producer = new RefusingProducer();
  final List<Long> sampledGroups = Collections.synchronizedList(new ArrayList<>());
  final List<Boolean> transactionOpenWhileSampling =
      Collections.synchronizedList(new ArrayList<>());
  final List<String> marksWhileSampling = Collections.synchronizedList(new ArrayList<>());
  final Set<Long> arrivedWhileSampling = ConcurrentHashMap.newKeySet();
  volatile boolean abandoned;
  private boolean closed;
  final Semaphore samplingAllowed = new Semaphore(1000);
  final SteppingClock clock = new SteppingClock(0);
  final ServingLoop loop;

  private final RecordCodec codec = TaggedAvro.codec();
  private final TopicCatalogue topics = new TopicCatalogue("");
  private final GroupAssembler assembler =
      new GroupAssembler("model", "tokenizer", "b", RecordedLogprob.SAMPLING);
  private final GenerationThread generation = new GenerationThread(Source::new);
  private final Map<TopicPartition, Long> nextOffsets = new HashMap<>();

  LoopHarness(int versionsKept, TopicPartition... owned) {
    this(versionsKept, Mixture.of(ProducerConfig.defaults()), owned);
  }

  LoopHarness(int versionsKept, Mixture mixture, TopicPartition... owned) {
    Tally tally = new Tally();
    PromptBacklog<EncodedGroup> backlog = new PromptBacklog<>();
    Outage broker = new Outage("the broker", 10_000);
    PromptSource source =
        new PromptSource(
            prompts,
            codec,
            topics.prompts().name(),
            PromptTasks.RUN,
            backlog,
            tally,
            broker,
            clock);
    VersionCache versions = new VersionCache(versionsKept, 16);
    SnapshotLog snapshotLog =
        new SnapshotLog(
            snapshots,
            codec,
            topics.snapshots().name(),
            new SnapshotFollower(
                PromptTasks.RUN, Weights.MODEL_HASH, Weights.PARAMETERS, versions::put),
            versions,
            tally::observed);
    RolloutPublisher publisher =
        new RolloutPublisher(producer, "id", broker, new Outage("publishing", 10_000), clock);
    loop =
        new ServingLoop(
            source,
            backlog,
            snapshotLog,
            mixture,
            generation,
            new Admission(assembler, 3, clock),
            new GroupEncoder(codec, topics.rollouts()),
            publisher,
            new Outage("the registry", 10_000),
            broker,
            tally,
            clock);
    snapshots.updateBeginningOffsets(Map.of(SNAPSHOTS, 0L));
    snapshots.updateEndOffsets(Map.of(SNAPSHOTS, 0L));
    publisher.start();
    snapshotLog.start();
    source.join();
    own(owned);
  }

  static TopicPartition prompts(int partition) {
    return new TopicPartition("prompts", partition);
  }

  /** Makes these the partitions of the consumer, as a rebalance does. */
  void own(TopicPartition... partitions) {
    Map<TopicPartition, Long> beginnings = new HashMap<>();
    for (TopicPartition partition : partitions) {
      beginnings.put(partition, 0L);
    }
    prompts.updateBeginningOffsets(beginnings);
    prompts.rebalance(List.of(partitions));
  }

  void appendPrompt(int partition, PromptTask task) {
    appendPrompt(partition, codec.encode("prompts", task));
  }

  void appendPrompt(int partition, byte[] value) {
    long offset = nextOffsets.merge(prompts(partition), 1L, Long::sum) - 1;
    prompts.append(prompts(partition), offset, RecordKeys.of(offset), value);
  }

  void appendVersion(long version) {
    for (SpecificRecord record : Weights.snapshot(version)) {
      long offset = nextOffsets.merge(SNAPSHOTS, 1L, Long::sum) - 1;
      snapshots.append(
          SNAPSHOTS, offset, RecordKeys.of(version), codec.encode("snapshots", record));
    }
  }

  /** Turns until {@code done}; fails if that does not come. */
  void turnUntil(BooleanSupplier done) throws InterruptedException {
    for (int turn = 0; turn < TURNS; turn++) {
      if (done.getAsBoolean()) {
        return;
      }
      loop.turn();
    }
    throw new AssertionError("not done after " + TURNS + " turns: " + loop.status());
  }

  void turn(int times) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      loop.turn();
    }
  }

  /** Groups in committed transactions. */
  List<RolloutGroup> published() {
    return producer.history().stream()
        .map(record -> codec.decode(record.topic(), record.value()))
        .map(decoded -> (RolloutGroup) ((Decoded.Accepted) decoded).record())
        .toList();
  }

  /** Next offsets in committed transactions, the last one of each partition. */
  Map<TopicPartition, Long> committed() {
    Map<TopicPartition, Long> committed = new HashMap<>();
    producer.consumerGroupOffsetsHistory().stream()
        .map(Map::values)
        .flatMap(Collection::stream)
        .forEach(
            offsets ->
                offsets.forEach((partition, next) -> committed.put(partition, next.offset())));
    return committed;
  }

  static Response response(long policyVersion) {
    return Response.newBuilder()
        .setTokens(List.of(1, 11))
        .setBehaviorLogprobs(List.of(-1f, -1f))
        .setLossMask(List.of(true, true))
        .setBehaviorLogprobMask(List.of(true, true))
        .setReward(0)
        .setFinishReason(FinishReason.STOP)
        .setPolicyVersion(policyVersion)
        .setVersionSegments(List.of(new VersionSegment(0, policyVersion)))
        .setSampling(
            Sampling.newBuilder()
                .setTemperature(1)
                .setTopK(0)
                .setTopP(1)
                .setMinP(0)
                .setRepetitionPenalty(1)
                .setSeed(0)
                .setLogprobKind(LogprobKind.SAMPLING_DISTRIBUTION)
                .setRenormalised(true)
                .setWeightPrecision("float32")
                .build())
        .build();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      generation.close();
    }
  }

  private final class Source implements GroupSource {
    @Override
    public RolloutGroup generate(PromptTask task, List<PolicyWeights> weights) {
      awaitPermission();
      sampledGroups.add(task.getGroupId());
      transactionOpenWhileSampling.add(producer.transactionInFlight());
      prompts.committed(new HashSet<>(prompts.assignment())).values().stream()
          .map(OffsetAndMetadata::metadata)
          .forEach(marksWhileSampling::add);
      return RolloutGroup.newBuilder(assembler.failed(task, new int[] {1}, "", Instant.EPOCH))
          .setFailure(null)
          .setResponses(
              IntStream.range(0, task.getSamplesPerGroup())
                  .mapToObj(i -> response(weights.get(i % weights.size()).version()))
                  .toList())
          .build();
    }

    /** Gives up after a while, so that a source which nobody abandons ends in a red test. */
    private void awaitPermission() {
      try {
        boolean unused = samplingAllowed.tryAcquire(30, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void arrived(PolicyWeights newest) {
      arrivedWhileSampling.add(newest.version());
    }

    @Override
    public void abandon() {
      abandoned = true;
      samplingAllowed.release(1000);
    }

    @Override
    public void close() {}
  }
}
