package org.p3ostream.learner.runtime;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DeleteRecordsOptions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.trim.TrimBook;
import org.p3ostream.learner.trim.TrimPlan;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.TrimmedPartition;
import org.p3ostream.schemas.topic.RecordKeys;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the offsets of a {@link TrimPlan} and deletes what lies below them. What may be deleted is
 * recorded in the ledger before anything is, so that whoever misses a record knows why; a deletion
 * that fails is made up for by the next one.
 */
final class Trimmer {
  private static final Logger LOG = LoggerFactory.getLogger(Trimmer.class);

  private static final int DELETE_TIMEOUT_MS = 30_000;

  /** Of one checkpoint alone, a fault on disk would end the run. */
  private static final int LEAST_CHECKPOINTS = 2;

  private static final Comparator<TopicPartition> BY_NAME =
      Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition);

  /** Of a number that fits its type: a key that was written by others may hold any digits. */
  private static final Pattern SOURCE = Pattern.compile("rollouts-(\\d{1,9})@(\\d{1,18})");

  private final LearnerSettings settings;
  private final TopicCatalogue topics;
  private final Admin admin;
  private final RecordScan scan;
  private final SnapshotSearch snapshots;
  private final CheckpointStore checkpoints;
  private final TrimBook book;

  /**
   * @param scan reads topics other than `rollouts`
   * @param snapshots finds versions
   * @param book holds the ledger that was read
   */
  Trimmer(
      LearnerSettings settings,
      TopicCatalogue topics,
      Admin admin,
      RecordScan scan,
      SnapshotSearch snapshots,
      CheckpointStore checkpoints,
      TrimBook book) {
    this.settings = settings;
    this.topics = topics;
    this.admin = admin;
    this.scan = scan;
    this.snapshots = snapshots;
    this.checkpoints = checkpoints;
    this.book = book;
  }

  /** Deletes again what the newest TRIM allowed: its deletion may not have happened. */
  void repeat() {
    ControlChange trim = book.lastTrim();
    if (settings.trimming().enabled() && trim != null) {
      delete(trim);
    }
  }

  /** Whether it is time after this number of windows. */
  boolean isDue(long windows) {
    return settings.trimming().enabled() && windows % settings.trimming().everySteps() == 0;
  }

  /** The change to record, if more may go than before. */
  Optional<ControlChange> next(LedgerState ledger) {
    OptionalLong checkpoint = oldestCheckpoint();
    if (checkpoint.isEmpty()) {
      return Optional.empty();
    }
    return TrimPlan.of(
            book,
            ledger,
            checkpoint.getAsLong(),
            settings.trimming().keepWindows(),
            settings.dispatch())
        .flatMap(this::change);
  }

  /** Windows settled at the oldest checkpoint of the ledger that a restart can read. */
  private OptionalLong oldestCheckpoint() {
    List<Long> windows =
        checkpoints.whole().stream()
            .map(Checkpoint::eventHash)
            .map(book::windowsBefore)
            .filter(Objects::nonNull)
            .toList();
    return windows.size() < LEAST_CHECKPOINTS
        ? OptionalLong.empty()
        : windows.stream().mapToLong(Long::longValue).min();
  }

  private Optional<ControlChange> change(TrimPlan plan) {
    Map<TopicPartition, Long> old = old();
    Map<TopicPartition, Long> cuts = cuts(plan, old);
    if (cuts.equals(old)) {
      return Optional.empty();
    }
    List<TrimmedPartition> trimmed = new ArrayList<>();
    cuts.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(BY_NAME))
        .forEach(
            cut ->
                trimmed.add(
                    new TrimmedPartition(
                        cut.getKey().topic(), cut.getKey().partition(), cut.getValue())));
    return Optional.of(
        ControlChange.newBuilder()
            .setKind(ControlKind.TRIM)
            .setDescription(
                "windows from %d and snapshots from version %d are kept"
                    .formatted(plan.fromWindow(), plan.snapshotVersion()))
            .setTrimmed(trimmed)
            .build());
  }

  private Map<TopicPartition, Long> old() {
    Map<TopicPartition, Long> old = new HashMap<>();
    ControlChange trim = book.lastTrim();
    if (trim != null) {
      for (TrimmedPartition partition : trim.getTrimmed()) {
        old.put(
            new TopicPartition(partition.getTopic(), partition.getPartition()),
            partition.getBeforeOffset());
      }
    }
    return old;
  }

  /** Never below an earlier cut. */
  private Map<TopicPartition, Long> cuts(TrimPlan plan, Map<TopicPartition, Long> old) {
    Map<TopicPartition, Long> cuts = new HashMap<>(old);
    plan.rolloutsBefore()
        .forEach(
            (partition, before) ->
                raise(cuts, new TopicPartition(topics.rollouts().name(), partition), before));
    snapshotsBefore(plan.snapshotVersion())
        .ifPresent(before -> raise(cuts, new TopicPartition(topics.snapshots().name(), 0), before));
    scanInto(cuts, topics.prompts(), record -> isSettled(record, plan.firstGroup()));
    scanInto(cuts, topics.deadLetters(), record -> refersToTrimmed(record, plan));
    return cuts;
  }

  private void scanInto(
      Map<TopicPartition, Long> cuts,
      TopicSpec topic,
      Predicate<ConsumerRecord<byte[], byte[]>> mayGo) {
    for (int p = 0; p < topic.partitions(); p++) {
      TopicPartition partition = new TopicPartition(topic.name(), p);
      raise(cuts, partition, scan.firstKept(partition, cuts.getOrDefault(partition, 0L), mayGo));
    }
  }

  private static void raise(Map<TopicPartition, Long> cuts, TopicPartition partition, long before) {
    if (before > 0) {
      cuts.merge(partition, before, Math::max);
    }
  }

  /** Only below a version that is there and whole. */
  private OptionalLong snapshotsBefore(long version) {
    try {
      return OptionalLong.of(snapshots.firstOffset(version));
    } catch (BehaviorSnapshotMissingException e) {
      LOG.warn("snapshots are not trimmed: {}", e.getMessage());
      return OptionalLong.empty();
    }
  }

  /** A record that is no prompt of ours may go. */
  private static boolean isSettled(ConsumerRecord<byte[], byte[]> prompt, long firstGroup) {
    return RecordKeys.number(prompt.key()).orElse(Long.MIN_VALUE) < firstGroup;
  }

  /** A dead letter whose record is gone tells nobody anything. */
  private static boolean refersToTrimmed(ConsumerRecord<byte[], byte[]> letter, TrimPlan plan) {
    byte @Nullable [] key = letter.key();
    Matcher source = SOURCE.matcher(key == null ? "" : new String(key, StandardCharsets.UTF_8));
    return !source.matches()
        || Long.parseLong(source.group(2))
            < plan.rolloutsBefore().getOrDefault(Integer.parseInt(source.group(1)), 0L);
  }

  /** Deletes what a recorded change allows. */
  void delete(ControlChange trim) {
    Map<TopicPartition, RecordsToDelete> deletions = new TreeMap<>(BY_NAME);
    for (TrimmedPartition partition : trim.getTrimmed()) {
      deletions.put(
          new TopicPartition(partition.getTopic(), partition.getPartition()),
          RecordsToDelete.beforeOffset(partition.getBeforeOffset()));
    }
    try {
      admin
          .deleteRecords(deletions, new DeleteRecordsOptions().timeoutMs(DELETE_TIMEOUT_MS))
          .all()
          .get();
      LOG.info("trimmed the log: {}", trim.getDescription());
    } catch (ExecutionException e) {
      LOG.warn(
          "records that may go are still there, the next trim tries again: {}",
          String.valueOf(e.getCause()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
