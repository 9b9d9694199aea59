package org.p3ostream.learner.audit;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;

/**
 * Every rollout record against what the ledger and the dead letters say of its coordinate. Holds a
 * case for each record that has not been explained yet, and some bits for each of the others.
 */
final class RolloutAudit {

  /** Reasons that a later schema or registry may take away: they say nothing about the content. */
  private static final Set<RejectionReason> OF_BYTES =
      EnumSet.of(
          RejectionReason.UNDECODABLE,
          RejectionReason.UNKNOWN_SCHEMA,
          RejectionReason.WRONG_RECORD_TYPE,
          RejectionReason.UNSPECIFIED);

  /** What is known of one coordinate, until it fits together. */
  private static final class Case {
    private @Nullable RolloutFacts record;
    private @Nullable Naming naming;
    private @Nullable LetterFacts letter;
  }

  /** One partition. */
  private static final class Shelf {
    private final long firstOffset;
    private final TreeMap<Long, Case> cases = new TreeMap<>();
    private final SparseBits inWindow = new SparseBits();
    private final SparseBits skipped = new SparseBits();
    private final SparseBits lettered = new SparseBits();

    Shelf(long firstOffset) {
      this.firstOffset = firstOffset;
    }

    /** Whether the partition begins behind a record. */
    boolean isGone(long recordOffset) {
      return recordOffset < firstOffset;
    }

    Case at(long recordOffset) {
      return cases.computeIfAbsent(recordOffset, offset -> new Case());
    }
  }

  private final AuditScope scope;
  private final Problems problems;
  private final TrimAudit trims;
  private final String topic;
  private final String letters;
  private final Map<Integer, Shelf> shelves = new TreeMap<>();
  private final ProgressMap progress = new ProgressMap();
  private long records;
  private long letterRecords;
  private long trimmed;
  private long waiting;
  private long firstMatchedEvent = Long.MAX_VALUE; // of the skips whose letters are there

  RolloutAudit(AuditScope scope, Problems problems, TrimAudit trims) {
    this.scope = scope;
    this.problems = problems;
    this.trims = trims;
    this.topic = scope.rolloutsTopic();
    this.letters = scope.topics().deadLetters().name();
  }

  void record(AuditedRecord record) {
    records++;
    Shelf shelf = shelf(record.partition());
    shelf.at(record.recordOffset()).record = RolloutFacts.of(record, scope.rolloutsRunId());
    conclude(record.partition(), record.recordOffset());
  }

  /**
   * Takes an entry of a window.
   *
   * @return false if the record was in a window before
   */
  boolean inWindow(String where, StepEvent event, WindowEntry entry) {
    Shelf shelf = shelf(entry.getPartition());
    long offset = entry.getRecordOffset();
    if (!shelf.inWindow.add(offset)) {
      return false;
    }
    if (shelf.skipped.contains(offset)) {
      both(where, entry.getPartition(), offset);
    } else if (!shelf.isGone(offset)) {
      shelf.at(offset).naming =
          new Naming.InWindow(
              event.getStep(), entry.getGroupId(), entry.getAttempt(), entry.getPolicyVersion());
      conclude(entry.getPartition(), offset);
    }
    return true;
  }

  void skipped(String where, long eventOffset, StepEvent event, SkippedRecord skip) {
    Shelf shelf = shelf(skip.getPartition());
    long offset = skip.getRecordOffset();
    if (!shelf.skipped.add(offset)) {
      problems.add(
          ProblemKind.SKIPPED_TWICE,
          where,
          "skips %s again, as %s",
          coordinate(skip.getPartition(), offset),
          skip.getReason());
    } else if (shelf.inWindow.contains(offset)) {
      both(where, skip.getPartition(), offset);
    } else {
      shelf.at(offset).naming = new Naming.Skipped(event.getStep(), eventOffset, skip.getReason());
      conclude(skip.getPartition(), offset);
    }
  }

  private void both(String where, int partition, long offset) {
    problems.add(
        ProblemKind.TRAINED_AND_SKIPPED,
        where,
        "%s is both in a window and skipped",
        coordinate(partition, offset));
  }

  void letter(AuditedRecord record, DeadLetter letter) {
    letterRecords++;
    if (!letter.getRunId().equals(scope.runId()) || !letter.getSourceTopic().equals(topic)) {
      problems.add(
          ProblemKind.DEAD_LETTER_MISMATCH,
          record.coordinate(),
          "is of run '%s' about topic %s, not of run '%s' about %s",
          letter.getRunId(),
          letter.getSourceTopic(),
          scope.runId(),
          topic);
      return;
    }
    Shelf shelf = shelf(letter.getSourcePartition());
    if (!shelf.lettered.add(letter.getSourceOffset())) {
      problems.add(
          ProblemKind.DEAD_LETTER_TWICE,
          record.coordinate(),
          "a second dead letter about %s",
          coordinate(letter.getSourcePartition(), letter.getSourceOffset()));
      return;
    }
    shelf.at(letter.getSourceOffset()).letter =
        LetterFacts.of(record, letter, scope.isKnown(record));
    conclude(letter.getSourcePartition(), letter.getSourceOffset());
  }

  void progress(String where, StepEvent event) {
    for (int partition : progress.update(event.getProgress())) {
      problems.add(
          ProblemKind.PROGRESS_ORDER,
          where,
          "progress of %s-%d goes back to offset %d",
          topic,
          partition,
          progress.nextOffset(partition));
    }
  }

  /** Closes a case if everything that belongs to it is there. */
  private void conclude(int partition, long offset) {
    Shelf shelf = shelf(partition);
    Case found = shelf.at(offset);
    String where = coordinate(partition, offset);
    RolloutFacts record = found.record;
    LetterFacts letter = found.letter;
    if (found.naming instanceof Naming.InWindow entry && record != null) {
      requireSame(where, entry, record);
      found.naming = null;
      found.record = null;
      if (letter == null) {
        shelf.cases.remove(offset);
      }
    } else if (found.naming instanceof Naming.Skipped skip
        && letter != null
        && (record != null || shelf.isGone(offset))) {
      firstMatchedEvent = Math.min(firstMatchedEvent, skip.eventOffset());
      requireSame(where, skip, record, letter);
      shelf.cases.remove(offset);
    }
  }

  private void requireSame(String where, Naming.InWindow entry, RolloutFacts record) {
    if (!record.readable()
        || record.isForeign()
        || record.groupId() != entry.groupId()
        || record.windowIndex() != entry.step()
        || record.attempt() != entry.attempt()
        || record.policyVersion() != entry.policyVersion()) {
      problems.add(
          ProblemKind.GROUP_MISMATCH,
          where,
          "holds %s; step %d names it as group %d attempt %d, sampled by version %d",
          record,
          entry.step(),
          entry.groupId(),
          entry.attempt(),
          entry.policyVersion());
    }
  }

  private void requireSame(
      String where, Naming.Skipped skip, @Nullable RolloutFacts record, LetterFacts letter) {
    if (letter.reason() != skip.reason()) {
      problems.add(
          ProblemKind.DEAD_LETTER_MISMATCH,
          letter.where(),
          "gives %s as %s, the ledger skipped it as %s",
          where,
          letter.reason(),
          skip.reason());
    }
    if (record == null) {
      return;
    }
    Long groupId = letter.groupId();
    Integer attempt = letter.attempt();
    boolean another =
        record.readable()
            && groupId != null
            && attempt != null
            && (groupId != record.groupId() || attempt != record.attempt());
    if (another || letter.valueBytes() != record.valueBytes()) {
      problems.add(
          ProblemKind.DEAD_LETTER_MISMATCH,
          letter.where(),
          "speaks of group %s attempt %s in %d bytes, %s holds %s in %d bytes",
          groupId,
          attempt,
          letter.valueBytes(),
          where,
          record,
          record.valueBytes());
    }
    if (record.readable()
        && !OF_BYTES.contains(skip.reason())
        && record.isForeign() != (skip.reason() == RejectionReason.FOREIGN_RUN)) {
      problems.add(
          ProblemKind.DEAD_LETTER_MISMATCH,
          letter.where(),
          "%s was skipped as %s, but holds %s",
          where,
          skip.reason(),
          record);
    }
  }

  /** Names what does not fit together. */
  void finish(String ledger) {
    shelves.forEach(
        (partition, shelf) -> {
          if (scope.exists(topic)) {
            finishGone(partition, shelf);
            requireProgress(ledger, partition, shelf);
          }
          shelf.cases.forEach((offset, open) -> finish(partition, offset, shelf, open));
        });
  }

  private void finish(int partition, long offset, Shelf shelf, Case open) {
    String where = coordinate(partition, offset);
    Naming naming = open.naming;
    if (naming != null && open.record == null && scope.exists(topic) && !shelf.isGone(offset)) {
      problems.add(
          ProblemKind.MISSING_RECORD, where, "is not there, step %d names it", naming.step());
    }
    if (naming instanceof Naming.Skipped skip && open.letter == null) {
      finishWithoutLetter(where, skip);
    }
    LetterFacts letter = open.letter;
    if (letter != null && !shelf.skipped.contains(offset) && letter.known()) {
      problems.add(
          ProblemKind.DEAD_LETTER_UNRECORDED,
          letter.where(),
          "gives %s as %s, %s",
          where,
          letter.reason(),
          shelf.inWindow.contains(offset) ? "the ledger trained it" : "the ledger does not");
    }
    if (naming == null && open.record != null) {
      finishUnnamed(partition, offset, open.record);
    }
  }

  private void finishUnnamed(int partition, long offset, RolloutFacts record) {
    if (progress.covers(partition, offset)) {
      problems.add(
          ProblemKind.UNACCOUNTED,
          coordinate(partition, offset),
          "holds %s; progress has passed it, but no event trained or skipped it",
          record);
    } else {
      waiting++;
    }
  }

  private void finishWithoutLetter(String where, Naming.Skipped skip) {
    if (!scope.exists(letters)) {
      return;
    }
    if (trims.isTrimmed(letters, 0) && skip.eventOffset() <= firstMatchedEvent) {
      trimmed++;
    } else {
      problems.add(
          ProblemKind.DEAD_LETTER_MISSING,
          where,
          "was skipped as %s at step %d, %s has no letter about it",
          skip.reason(),
          skip.step(),
          letters);
    }
  }

  private void finishGone(int partition, Shelf shelf) {
    long first = shelf.firstOffset;
    long allowedBefore = Math.min(first, trims.allowedBefore(topic, partition));
    for (SparseBits named : new SparseBits[] {shelf.inWindow, shelf.skipped}) {
      named.forEach(Long.MIN_VALUE, allowedBefore, offset -> trimmed++);
      named.forEach(
          allowedBefore,
          first,
          offset ->
              problems.add(
                  ProblemKind.MISSING_RECORD,
                  coordinate(partition, offset),
                  "is gone, the ledger names it; the partition begins at %d",
                  first));
    }
  }

  /** In a fork the other run's progress counts, which is not this ledger's. */
  private void requireProgress(String ledger, int partition, Shelf shelf) {
    if (scope.fork() != null) {
      return;
    }
    for (SparseBits named : new SparseBits[] {shelf.inWindow, shelf.skipped}) {
      named.forEach(
          progress.nextOffset(partition),
          Long.MAX_VALUE,
          offset -> {
            if (!progress.covers(partition, offset)) {
              problems.add(
                  ProblemKind.PROGRESS_BEHIND,
                  coordinate(partition, offset),
                  "is trained or skipped, but progress would take it again: %s ends at offset %d",
                  ledger,
                  progress.nextOffset(partition));
            }
          });
    }
    long end = scope.endOffset(topic, partition);
    if (progress.nextOffset(partition) > end) {
      problems.add(
          ProblemKind.PROGRESS_ORDER,
          ledger,
          "progress of %s-%d is at offset %d, the partition ends at %d",
          topic,
          partition,
          progress.nextOffset(partition),
          end);
    }
  }

  private Shelf shelf(int partition) {
    return shelves.computeIfAbsent(partition, p -> new Shelf(scope.firstOffset(topic, partition)));
  }

  private String coordinate(int partition, long offset) {
    return AuditedRecord.coordinate(topic, partition, offset);
  }

  long records() {
    return records;
  }

  long letters() {
    return letterRecords;
  }

  long skipped() {
    return shelves.values().stream().mapToLong(shelf -> shelf.skipped.size()).sum();
  }

  long waiting() {
    return waiting;
  }

  long trimmed() {
    return trimmed;
  }
}
