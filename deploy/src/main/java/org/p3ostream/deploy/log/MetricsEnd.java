package org.p3ostream.deploy.log;

import java.time.Duration;
import java.util.ArrayList;
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
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.progress.CommittedLog;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.metric.Metric;

/**
 * Whether every metric of a run is in the topic: the ledger has its last step, the topology has
 * consumed, and with exactly-once processing also written, all that there was to consume, and the
 * last step is settled. The topology settles steps in their order and keeps the last ones back for
 * some seconds, as later records might belong to them; its lag is the last it says of a step. A
 * step that has none, as in a fork that trains windows of its origin, is settled after {@link
 * #SETTLED_AFTER} in any case.
 */
public final class MetricsEnd {

  private static final long ASK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();

  private static final String REPARTITION = "-repartition";

  /** The last event may be a change of the configuration, or of what may be trimmed. */
  private static final int EVENTS_LOOKED_AT = 8;

  /** More than the topology ever waits for records that do not come. */
  private static final Duration SETTLED_AFTER = Duration.ofSeconds(20);

  /** Offsets of a partition of the metrics that are looked at first: those of some steps. */
  private static final int FIRST_STRETCH = 256;

  private final TopicReader ledger;
  private final TopicReader metrics;
  private final Unreadable unreadable;
  private final Admin admin;
  private final String groupId;
  private final long steps;
  private final Consumer<String> notice;
  private long askedNanos = System.nanoTime() - ASK_EVERY_NANOS;
  private long endedAt; // event time of the last step, milliseconds since the epoch
  private @Nullable CommittedLog written;
  private long consumedNanos;
  private boolean consumed;
  private boolean noticed;

  /**
   * @param ledger the {@code steps} topic; its consumer is used by nobody else
   * @param metrics the {@code metrics} topic, likewise
   * @param unreadable told about records that are no events, or no points
   * @param groupId consumer group of the topology, its application id
   * @param steps that the run is to have
   * @param notice told once that the ledger is complete and the metrics are not yet
   */
  public MetricsEnd(
      TopicReader ledger,
      TopicReader metrics,
      Unreadable unreadable,
      Admin admin,
      String groupId,
      long steps,
      Consumer<String> notice) {
    this.ledger = ledger;
    this.metrics = metrics;
    this.unreadable = unreadable;
    this.admin = admin;
    this.groupId = groupId;
    this.steps = steps;
    this.notice = notice;
  }

  /**
   * Of the run that a configuration names.
   *
   * @param topics among them the ledger and the metrics, which must exist
   * @param unreadable told about records that are no events, or no points
   * @param notice told once that the ledger is complete and the metrics are not yet
   */
  public static MetricsEnd of(
      RunTopics topics,
      RoleClients clients,
      P3oConfig config,
      Unreadable unreadable,
      Consumer<String> notice) {
    TopicCatalogue catalogue = new TopicCatalogue(config.run().topicPrefix());
    return new MetricsEnd(
        topics.reader(catalogue.steps()),
        topics.reader(catalogue.metrics()),
        unreadable,
        clients.admin(),
        config.streamsSettings().applicationId(),
        config.learner().steps(),
        notice);
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
    boolean reached =
        everythingIsConsumed()
            && (lastStepIsSettled() || isConsumedForLong())
            && everythingIsVisible();
    if (!reached && !noticed) {
      noticed = true;
      notice.accept("the run has ended; waiting for the metrics of its last steps");
    }
    return reached;
  }

  /** Lets {@link #isReached} end at once, by a WakeupException. Safe from any thread. */
  public void wakeup() {
    ledger.wakeup();
    metrics.wakeup();
  }

  /**
   * Whether the newest lag is that of the last step. Its record has the time of the event, so what
   * was written before that is not looked at; nor, as all lags have one key, is what lies further
   * back in other partitions than the one in which there is a lag.
   */
  private boolean lastStepIsSettled() {
    List<MetricPoint> lags = new ArrayList<>();
    metrics.backward(
        metrics.since(endedAt),
        FIRST_STRETCH,
        entry -> {
          @Nullable MetricPoint point = unreadable.read(entry, MetricPoint.class);
          if (point != null && point.getName().equals(Metric.LAG_RECORDS.metricName())) {
            lags.add(point);
          }
        },
        partition -> !lags.isEmpty());
    return lags.stream().anyMatch(lag -> lag.getEventTime() >= endedAt);
  }

  private boolean isConsumedForLong() {
    if (!consumed) {
      consumed = true;
      consumedNanos = System.nanoTime();
    }
    return System.nanoTime() - consumedNanos >= SETTLED_AFTER.toNanos();
  }

  private boolean runHasEnded() {
    endedAt = Long.MAX_VALUE;
    new RecordSearch<>(ledger, StepEvent.class, MetricsEnd::passesAWindow, unreadable)
        .search(
            ledger.everything(),
            EVENTS_LOOKED_AT,
            true,
            found ->
                found.stream()
                    .map(f -> f.record())
                    .filter(event -> event.getStep() >= steps - 1)
                    .forEach(event -> endedAt = event.getCommittedAt()));
    return endedAt != Long.MAX_VALUE;
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

  /**
   * Whether whoever reads now finds all that was written when this was asked first. What one
   * transaction wrote becomes visible partition by partition, as the broker comes to it: its lag
   * may be there when other points of it are not.
   */
  private boolean everythingIsVisible() {
    try {
      if (written == null) {
        written = CommittedLog.of(admin, metrics.partitions());
      }
      return written.isVisible();
    } catch (ExecutionException | KafkaException e) {
      return false; // asked again: the broker may be away
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
