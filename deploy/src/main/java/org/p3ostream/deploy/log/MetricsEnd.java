package org.p3ostream.deploy.log;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;

/**
 * Whether every metric of a run is in the topic: the ledger has its last step, and the topology has
 * consumed, and with exactly-once processing also written, all that there was to consume.
 */
public final class MetricsEnd {

  private static final long ASK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private static final String REPARTITION = "-repartition";

  /** The last event may be a change of the configuration, or of what may be trimmed. */
  private static final int EVENTS_LOOKED_AT = 8;

  private final TopicReader ledger;
  private final Unreadable unreadable;
  private final Admin admin;
  private final String groupId;
  private final long steps;
  private final Consumer<String> notice;
  private long askedNanos = System.nanoTime() - ASK_EVERY_NANOS;
  private boolean noticed;

  /**
   * @param ledger the {@code steps} topic; its consumer is used by nobody else
   * @param unreadable told about records of the ledger that are no events
   * @param groupId consumer group of the topology, its application id
   * @param steps that the run is to have
   * @param notice told once that the ledger is complete and the metrics are not yet
   */
  public MetricsEnd(
      TopicReader ledger,
      Unreadable unreadable,
      Admin admin,
      String groupId,
      long steps,
      Consumer<String> notice) {
    this.ledger = ledger;
    this.unreadable = unreadable;
    this.admin = admin;
    this.groupId = groupId;
    this.steps = steps;
    this.notice = notice;
  }

  /** The answer; false if it was asked for within the last second. */
  public boolean isReached() {
    if (System.nanoTime() - askedNanos < ASK_EVERY_NANOS) {
      return false;
    }
    askedNanos = System.nanoTime();
    if (!runHasEnded()) {
      return false;
    }
    boolean consumed = everythingIsConsumed();
    if (!consumed && !noticed) {
      noticed = true;
      notice.accept("the run has ended; waiting for the metrics of its last steps");
    }
    return consumed;
  }

  private boolean runHasEnded() {
    boolean[] ended = new boolean[1];
    new RecordSearch<>(ledger, StepEvent.class, MetricsEnd::passesAWindow, unreadable)
        .search(
            ledger.everything(),
            EVENTS_LOOKED_AT,
            true,
            found -> ended[0] |= found.stream().anyMatch(f -> f.record().getStep() >= steps - 1));
    return ended[0];
  }

  private static boolean passesAWindow(StepEvent event) {
    return event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP;
  }

  /** Positions count only as far as they are committed, with what was made of the records. */
  private boolean everythingIsConsumed() {
    try {
      Map<TopicPartition, OffsetAndMetadata> positions =
          admin.listConsumerGroupOffsets(groupId).partitionsToOffsetAndMetadata().get();
      Set<TopicPartition> consumed = new HashSet<>(positions.keySet());
      consumed.addAll(internalPartitions()); // not in the positions before the first commit
      consumed.add(new TopicPartition(ledger.topic(), 0));
      return ends(consumed).entrySet().stream()
          .allMatch(end -> offset(positions.get(end.getKey())) >= end.getValue().offset());
    } catch (ExecutionException | KafkaException e) {
      return false; // asked again: the group may not exist yet, the broker may be away
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Of the topics over which parts of the topology hand records to each other. */
  private Set<TopicPartition> internalPartitions() throws ExecutionException, InterruptedException {
    List<String> topics =
        admin.listTopics().names().get().stream()
            .filter(name -> name.startsWith(groupId + "-") && name.endsWith(REPARTITION))
            .toList();
    return admin.describeTopics(topics).allTopicNames().get().values().stream()
        .flatMap(
            topic ->
                topic.partitions().stream()
                    .map(partition -> new TopicPartition(topic.name(), partition.partition())))
        .collect(Collectors.toSet());
  }

  private static long offset(@Nullable OffsetAndMetadata position) {
    return position == null ? 0 : position.offset();
  }

  private Map<TopicPartition, ListOffsetsResultInfo> ends(Set<TopicPartition> partitions)
      throws ExecutionException, InterruptedException {
    return admin
        .listOffsets(
            partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())),
            new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
        .all()
        .get();
  }
}
