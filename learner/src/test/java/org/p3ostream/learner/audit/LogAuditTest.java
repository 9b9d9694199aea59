package org.p3ostream.learner.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.learner.audit.GeneratedLog.GROUPS;
import static org.p3ostream.learner.audit.GeneratedLog.RUN;
import static org.p3ostream.learner.audit.GeneratedLog.TOPICS;
import static org.p3ostream.learner.audit.GeneratedLog.set;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.audit.GeneratedLog.Row;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/** Generated logs with one fault each: exactly that fault is named. */
class LogAuditTest {

  private static final int WINDOWS = 20;
  private static final int SEEDS = 12;

  /** Damages a log. */
  interface Damage {
    void to(GeneratedLog log, Random random);
  }

  /**
   * A fault and what must be said of it.
   *
   * @param sealed whether the chain is closed again over the damage: a learner that errs, rather
   *     than a record that was changed afterwards
   */
  record Fault(String name, boolean sealed, Set<ProblemKind> kinds, Damage damage) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Fault> faults() {
    return Stream.of(
        changed("an event is changed", LogAuditTest::changeAnEvent, ProblemKind.CHAIN_BREAK),
        changed("an event is gone", LogAuditTest::removeAnInterim, ProblemKind.CHAIN_BREAK),
        changed(
            "the last event is written again",
            LogAuditTest::repeatTheLastStep,
            ProblemKind.CHAIN_BREAK,
            ProblemKind.STEP_ORDER,
            ProblemKind.TRAINED_TWICE),
        changed("junk lies in the ledger", LogAuditTest::insertJunk, ProblemKind.UNREADABLE),
        changed(
            "an event of another run lies in the ledger",
            LogAuditTest::insertForeignEvent,
            ProblemKind.FOREIGN_RUN,
            ProblemKind.CHAIN_BREAK),
        erring(
            "a second GENESIS",
            (log, random) -> replaceAnInterim(log, random, "kind", StepKind.GENESIS),
            ProblemKind.GENESIS),
        erring(
            "a definition that names no window size",
            (log, random) -> set(genesis(log), "configuration", "{}"),
            ProblemKind.GENESIS,
            ProblemKind.CONFIG_HASH),
        erring(
            "another configuration hash",
            (log, random) -> set(log.pick(random, e -> true), "configHash", "other"),
            ProblemKind.CONFIG_HASH),
        erring(
            "an event for another window",
            (log, random) -> replaceAnInterim(log, random, "step", 99L),
            ProblemKind.STEP_ORDER),
        erring(
            "a version that jumps",
            (log, random) ->
                set(
                    lastStep(log),
                    "policyVersionBefore",
                    lastStep(log).getPolicyVersionBefore() + 1),
            ProblemKind.VERSION_ORDER),
        erring(
            "weights that change without a step",
            (log, random) ->
                set(log.pick(random, e -> e.getKind() == StepKind.INTERIM), "weightsSha256", "x"),
            ProblemKind.WEIGHTS_CHANGED),
        erring(
            "a zombie that writes",
            (log, random) -> set(genesis(log), "learnerEpoch", 2L),
            ProblemKind.EPOCH_ORDER),
        erring(
            "a group trained in two windows",
            LogAuditTest::trainAGroupAgain,
            ProblemKind.TRAINED_TWICE,
            ProblemKind.WRONG_WINDOW,
            ProblemKind.LOST,
            ProblemKind.UNACCOUNTED),
        erring(
            "a group that is left out of its window",
            LogAuditTest::loseAGroup,
            ProblemKind.LOST,
            ProblemKind.UNACCOUNTED),
        erring(
            "a group given up and trained",
            (log, random) -> {
              StepEvent step = log.pick(random, LogAuditTest::isFull);
              set(step, "missingGroups", List.of(step.getWindow().get(0).getGroupId()));
            },
            ProblemKind.GIVEN_UP_TWICE),
        erring(
            "a group given up again",
            (log, random) -> {
              StepEvent interim =
                  log.pick(
                      random,
                      e -> e.getKind() == StepKind.INTERIM && !e.getMissingGroups().isEmpty());
              long groupId = interim.getMissingGroups().get(0);
              set(interim, "missingGroups", List.of(groupId, groupId));
            },
            ProblemKind.GIVEN_UP_TWICE),
        erring(
            "a group given up in advance and trained",
            (log, random) -> {
              Map<Long, Long> times = timesDispatched(log);
              StepEvent step =
                  log.pick(
                      random,
                      e ->
                          isFull(e)
                              && times.get(e.getWindow().get(0).getGroupId()) == 1
                              && silentAt(log, e.getStep()).isPresent());
              set(
                  silentAt(log, step.getStep()).orElseThrow(),
                  "missingGroups",
                  List.of(step.getWindow().get(0).getGroupId()));
            },
            ProblemKind.GIVEN_UP_TWICE),
        erring(
            "a group given up that nobody dispatched",
            (log, random) -> replaceAnInterim(log, random, "missingGroups", List.of(7_000L)),
            ProblemKind.NOT_DISPATCHED),
        erring(
            "a group neither dispatched nor trained",
            (log, random) -> {
              long groupId = forgetADispatch(log, random);
              for (StepEvent event : events(log)) {
                set(
                    event,
                    "window",
                    event.getWindow().stream().filter(e -> e.getGroupId() != groupId).toList());
              }
            },
            ProblemKind.DISPATCH_ORDER,
            ProblemKind.NOT_DISPATCHED,
            ProblemKind.PROMPT_UNRECORDED,
            ProblemKind.UNACCOUNTED),
        erring(
            "a group from an older version than asked for",
            LogAuditTest::sampleByTheVersionBefore,
            ProblemKind.POLICY_VERSION),
        erring(
            "an attempt that nobody asked for",
            (log, random) -> set(entry(log, random), "attempt", 9),
            ProblemKind.NOT_DISPATCHED,
            ProblemKind.GROUP_MISMATCH),
        erring(
            "a group from the future",
            (log, random) -> set(entry(log, random), "policyVersion", 900L),
            ProblemKind.POLICY_VERSION,
            ProblemKind.GROUP_MISMATCH),
        erring(
            "dispatches out of their turn",
            (log, random) -> {
              List<DispatchedGroup> groups = new ArrayList<>(genesis(log).getDispatched());
              Collections.swap(groups, 0, 1);
              set(genesis(log), "dispatched", groups);
            },
            ProblemKind.DISPATCH_ORDER),
        erring(
            "a group that nobody dispatched",
            (log, random) -> forgetADispatch(log, random),
            ProblemKind.DISPATCH_ORDER,
            ProblemKind.NOT_DISPATCHED,
            ProblemKind.PROMPT_UNRECORDED),
        erring(
            "a record that the ledger names elsewhere",
            (log, random) -> set(entry(log, random), "recordOffset", 1L << 40),
            ProblemKind.MISSING_RECORD,
            ProblemKind.UNACCOUNTED,
            ProblemKind.PROGRESS_BEHIND),
        erring(
            "a record that is another group",
            (log, random) -> {
              Row row = log.find(entry(log, random));
              set(row.record, "groupId", 7_000L);
            },
            ProblemKind.GROUP_MISMATCH),
        erring(
            "a trained record that nobody can read",
            (log, random) -> log.find(entry(log, random)).record = null,
            ProblemKind.GROUP_MISMATCH),
        erring(
            "a trained record of another run",
            (log, random) -> set(log.find(entry(log, random)).record, "runId", "other"),
            ProblemKind.GROUP_MISMATCH),
        changed(
            "a trained record that is gone from the middle",
            (log, random) -> log.rows.remove(log.find(entry(log, random))),
            ProblemKind.MISSING_RECORD),
        changed(
            "the beginning of a partition is gone",
            LogAuditTest::deleteTheBeginning,
            ProblemKind.RECORDS_GONE,
            ProblemKind.MISSING_RECORD),
        erring(
            "a record both trained and skipped",
            LogAuditTest::skipATrainedRecord,
            ProblemKind.TRAINED_AND_SKIPPED),
        erring("a record skipped twice", LogAuditTest::skipTwice, ProblemKind.SKIPPED_TWICE),
        erring(
            "a record passed in silence",
            LogAuditTest::forgetASkip,
            ProblemKind.UNACCOUNTED,
            ProblemKind.DEAD_LETTER_UNRECORDED),
        erring(
            "progress that stays behind",
            (log, random) -> {
              for (StepEvent event : events(log)) {
                event.getProgress().forEach(LogAuditTest::backToTheBeginning);
              }
            },
            ProblemKind.PROGRESS_BEHIND),
        erring(
            "progress that goes back",
            (log, random) -> {
              StepEvent last = lastStep(log);
              StepEvent before =
                  log.pick(random, e -> e.getStep() == WINDOWS / 2 && isStepOrNoOp(e));
              for (int p = 0; p < before.getProgress().size(); p++) {
                set(
                    before.getProgress().get(p),
                    "nextOffset",
                    last.getProgress().get(p).getNextOffset() + 1);
              }
            },
            ProblemKind.PROGRESS_ORDER),
        erring(
            "progress beyond the end",
            (log, random) -> {
              removeWaiting(log);
              set(lastSettled(log).getProgress().get(1), "nextOffset", 1L << 40);
            },
            ProblemKind.PROGRESS_ORDER),
        changed(
            "a dead letter is gone",
            (log, random) -> log.rows.remove(any(log.of(TOPICS.deadLetters()), random)),
            ProblemKind.DEAD_LETTER_MISSING),
        changed(
            "a dead letter is written again",
            (log, random) -> copyToTheEnd(log, any(log.of(TOPICS.deadLetters()), random)),
            ProblemKind.DEAD_LETTER_TWICE),
        erring(
            "a dead letter with another reason",
            (log, random) -> set(letter(log, random), "reason", RejectionReason.MODEL_MISMATCH),
            ProblemKind.DEAD_LETTER_MISMATCH),
        erring(
            "a dead letter about another size",
            (log, random) -> set(letter(log, random), "valueBytes", 1 << 20),
            ProblemKind.DEAD_LETTER_MISMATCH),
        erring(
            "a dead letter about another group",
            (log, random) -> {
              DeadLetter letter =
                  log.of(TOPICS.deadLetters()).stream()
                      .map(row -> row.as(DeadLetter.class))
                      .filter(l -> l.getGroupId() != null)
                      .findFirst()
                      .orElseThrow();
              set(letter, "groupId", 7_000L);
            },
            ProblemKind.DEAD_LETTER_MISMATCH),
        erring(
            "a dead letter about another topic",
            (log, random) -> set(letter(log, random), "sourceTopic", "b.rollouts"),
            ProblemKind.DEAD_LETTER_MISMATCH,
            ProblemKind.DEAD_LETTER_MISSING),
        erring(
            "a good record skipped as foreign",
            LogAuditTest::skipAsForeign,
            ProblemKind.DEAD_LETTER_MISMATCH),
        changed(
            "a dead letter that nobody can read",
            (log, random) -> any(log.of(TOPICS.deadLetters()), random).record = null,
            ProblemKind.UNREADABLE,
            ProblemKind.DEAD_LETTER_MISSING),
        changed(
            "a prompt is gone",
            (log, random) -> log.rows.remove(any(log.of(TOPICS.prompts()), random)),
            ProblemKind.PROMPT_MISSING),
        changed(
            "a prompt that nobody dispatched",
            (log, random) -> copyToTheEnd(log, any(log.of(TOPICS.prompts()), random)),
            ProblemKind.PROMPT_UNRECORDED),
        erring(
            "a prompt for another version",
            (log, random) -> {
              PromptTask task = any(log.of(TOPICS.prompts()), random).as(PromptTask.class);
              set(task, "minPolicyVersion", 77L);
              set(task, "exactPolicyVersion", 77L);
            },
            ProblemKind.PROMPT_MISMATCH),
        erring(
            "a prompt of a later attempt for another version",
            (log, random) -> {
              PromptTask task =
                  any(
                          log.of(TOPICS.prompts()).stream()
                              .filter(row -> row.as(PromptTask.class).getAttempt() > 0)
                              .toList(),
                          random)
                      .as(PromptTask.class);
              set(task, "minPolicyVersion", 77L);
              set(task, "exactPolicyVersion", 77L);
            },
            ProblemKind.PROMPT_MISMATCH),
        changed(
            "a chunk that nobody can read",
            (log, random) -> any(chunks(log), random).record = null,
            ProblemKind.UNREADABLE,
            ProblemKind.SNAPSHOT_CORRUPT),
        erring(
            "a snapshot of another run",
            (log, random) ->
                log.snapshotOf(1).forEach(row -> set(copyToTheEnd(log, row).record, "runId", "x")),
            ProblemKind.FOREIGN_RUN),
        erring(
            "a prompt with another slot",
            (log, random) -> set(any(log.of(TOPICS.prompts()), random).record, "slot", GROUPS),
            ProblemKind.PROMPT_MISMATCH),
        changed(
            "a bit of a chunk is flipped",
            (log, random) -> flip(any(chunks(log), random).as(SnapshotChunk.class)),
            ProblemKind.SNAPSHOT_CORRUPT),
        changed(
            "a chunk is gone",
            (log, random) -> log.rows.remove(any(chunks(log), random)),
            ProblemKind.SNAPSHOT_CORRUPT),
        changed(
            "a manifest is gone",
            (log, random) -> log.rows.remove(any(manifests(log), random)),
            ProblemKind.SNAPSHOT_CORRUPT,
            ProblemKind.SNAPSHOT_MISSING),
        changed(
            "a snapshot is gone",
            (log, random) -> log.rows.removeAll(log.snapshotOf(1)),
            ProblemKind.SNAPSHOT_MISSING),
        changed(
            "a snapshot is written again",
            (log, random) -> log.snapshotOf(1).forEach(row -> copyToTheEnd(log, row)),
            ProblemKind.SNAPSHOT_TWICE),
        erring(
            "a snapshot of other weights",
            (log, random) -> {
              StepEvent last = lastStep(log);
              for (StepEvent event : events(log)) {
                if (event.getPolicyVersionAfter() == last.getPolicyVersionAfter()) {
                  set(event, "weightsSha256", "other");
                }
              }
            },
            ProblemKind.SNAPSHOT_MISMATCH),
        erring(
            "a snapshot of a version that was never made",
            (log, random) ->
                log.snapshotOf(1)
                    .forEach(row -> set(copyToTheEnd(log, row).record, "version", 900L)),
            ProblemKind.SNAPSHOT_UNRECORDED));
  }

  private static Fault erring(String name, Damage damage, ProblemKind... kinds) {
    return new Fault(name, true, EnumSet.copyOf(List.of(kinds)), damage);
  }

  private static Fault changed(String name, Damage damage, ProblemKind... kinds) {
    return new Fault(name, false, EnumSet.copyOf(List.of(kinds)), damage);
  }

  @Test
  void healthyLogIsFoundHealthyInWhateverOrderItsPartitionsAreRead() {
    for (long seed = 0; seed < 40; seed++) {
      GeneratedLog log = new GeneratedLog(seed, WINDOWS);
      AuditReport report = log.audit(new Random(seed));
      assertThat(report.problems()).as("seed %d", seed).isEmpty();
      assertThat(report.ok()).isTrue();
      assertThat(report.steps()).isEqualTo(WINDOWS);
      AuditReport.Groups groups = report.groups();
      assertThat(groups.pending()).isEqualTo(2 * GROUPS);
      assertThat(groups.trained() + groups.passed() + groups.givenUp())
          .isEqualTo((long) WINDOWS * GROUPS);
      assertThat(groups.dispatched()).isEqualTo((WINDOWS + 2L) * GROUPS);
      assertThat(report.records().rollouts())
          .isEqualTo(
              groups.trained()
                  + groups.passed()
                  + report.records().skipped()
                  + report.records().waiting());
      assertThat(report.weightsSha256()).isEqualTo(lastStep(log).getWeightsSha256());
      assertThat(report.records().snapshots()).isEqualTo(report.policyVersion() + 1);
    }
  }

  @ParameterizedTest
  @MethodSource("faults")
  void faultIsNamedAndNothingElse(Fault fault) {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      GeneratedLog log = new GeneratedLog(seed, WINDOWS);
      fault.damage().to(log, random);
      if (fault.sealed()) {
        log.seal();
      } else {
        log.rows.forEach(row -> row.bytes = log.encode(row));
      }
      AuditReport report = log.audit(random);
      assertThat(report.ok()).as("%s, seed %d", fault, seed).isFalse();
      assertThat(report.problemCounts().keySet())
          .as("%s, seed %d: %s", fault, seed, report.problems())
          .isEqualTo(fault.kinds());
    }
  }

  private static void sampleByTheVersionBefore(GeneratedLog log, Random random) {
    WindowEntry entry =
        any(
            log.pick(random, e -> isFull(e) && e.getWindow().get(0).getPolicyVersion() > 0)
                .getWindow(),
            random);
    set(entry, "policyVersion", entry.getPolicyVersion() - 1);
    RolloutGroup group = log.find(entry).as(RolloutGroup.class);
    set(group.getResponses().get(0), "policyVersion", entry.getPolicyVersion());
  }

  /** In the first definition alone: what it admitted may be trained under the next one. */
  @Test
  void versionsBeforeTheOneAskedForAreNoProblemWhereADefinitionAdmitsThem() {
    for (long seed = 0; seed < SEEDS; seed++) {
      GeneratedLog log = new GeneratedLog(seed, WINDOWS);
      String before = genesis(log).getConfiguration();
      String admitting = before.replace("{\"groups", "{\"versionsBack\":1,\"groups");
      assertThat(admitting).isNotEqualTo(before);
      for (StepEvent event : events(log)) {
        if (event.getConfigHash().equals(sha256(before))) {
          set(event, "configHash", sha256(admitting));
        }
      }
      set(genesis(log), "configuration", admitting);
      sampleByTheVersionBefore(log, new Random(seed));
      log.seal();

      assertThat(log.audit(new Random(seed)).problems()).as("seed %d", seed).isEmpty();
    }
  }

  private static String sha256(String text) {
    return WeightsDigest.sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void trimmedRecordsAreToldApartFromRecordsThatAreGone() {
    for (long seed = 0; seed < 40; seed++) {
      GeneratedLog log = new GeneratedLog(seed, WINDOWS);
      Map<String, Long> allowed = beginnings(log, WINDOWS / 2);
      log.trim(allowed);
      AuditReport report = log.audit(new Random(seed));
      assertThat(report.problems()).as("seed %d", seed).isEmpty();
      assertThat(report.records().trimmed()).isPositive();

      String key = TOPICS.rollouts().name() + "-1";
      log.deleteBefore(key, allowed.get(key) + 2);
      report = log.audit(new Random(seed));
      assertThat(report.problemCounts().keySet())
          .as("seed %d", seed)
          .contains(ProblemKind.RECORDS_GONE)
          .isSubsetOf(ProblemKind.RECORDS_GONE, ProblemKind.MISSING_RECORD);
      assertThat(report.problems().get(0).toString())
          .contains(key, "what is below " + allowed.get(key));
    }
  }

  /** Where each partition may begin if windows from w on are kept. */
  private static Map<String, Long> beginnings(GeneratedLog log, long w) {
    Map<String, Long> beginnings = new TreeMap<>();
    for (Row row : log.rows) {
      boolean isKept =
          row.record instanceof RolloutGroup group && group.getRunId().equals(RUN)
              ? group.getWindowIndex() >= w
              : row.record instanceof PromptTask task
                  ? task.getWindowIndex() >= w
                  : row.record instanceof SnapshotChunk chunk && chunk.getVersion() >= w / 2;
      if (isKept) {
        beginnings.merge(row.topic + "-" + row.partition, row.offset, Math::min);
      }
    }
    List<Row> letters = log.of(TOPICS.deadLetters());
    beginnings.put(TOPICS.deadLetters().name() + "-0", letters.get(letters.size() / 2).offset);
    return beginnings;
  }

  @Test
  void recordsThatCameAfterTheLedgerWasReadAreNoProblem() {
    for (long seed = 0; seed < SEEDS; seed++) {
      GeneratedLog log = new GeneratedLog(seed, WINDOWS);
      Row last = row(log, lastStep(log));
      Map<String, Long> knownEnds = new TreeMap<>();
      for (Row row : log.rows.subList(0, firstOfTransaction(log, last))) {
        knownEnds.put(row.topic + "-" + row.partition, row.offset + 1);
      }
      log.rows.removeIf(
          row -> row.topic.equals(TOPICS.steps().name()) && row.offset >= last.offset);
      assertThat(log.audit(new Random(seed), RUN, List.of(), knownEnds).problems())
          .as("seed %d", seed)
          .isEmpty();
      assertThat(log.audit(new Random(seed)).problemCounts().keySet())
          .as("seed %d", seed)
          .contains(ProblemKind.PROMPT_UNRECORDED, ProblemKind.SNAPSHOT_UNRECORDED);
    }
  }

  /** The snapshot of a step stands before its event. */
  private static int firstOfTransaction(GeneratedLog log, Row step) {
    int index = log.rows.indexOf(step);
    while (log.rows.get(index - 1).topic.equals(TOPICS.snapshots().name())) {
      index--;
    }
    return index;
  }

  @Test
  void emptyLedgerIsSaidToBeEmpty() {
    GeneratedLog log = new GeneratedLog(1, WINDOWS);
    log.rows.clear();
    AuditReport report = log.audit(new Random(1));
    assertThat(report.problems())
        .singleElement()
        .hasToString("NO_LEDGER a.steps: holds no event: no run with run.topicPrefix=a. has begun");
    assertThat(report.ok()).isFalse();
    assertThat(report.weightsSha256()).isEmpty();
  }

  @Test
  void missingTopicIsOneProblem() {
    for (String topic :
        List.of(
            TOPICS.rollouts().name(),
            TOPICS.prompts().name(),
            TOPICS.deadLetters().name(),
            TOPICS.snapshots().name())) {
      GeneratedLog log = new GeneratedLog(1, WINDOWS);
      assertThat(log.audit(new Random(1), RUN, List.of(topic), Map.of()).problems())
          .singleElement()
          .hasToString("TOPIC_MISSING " + topic + ": there is no such topic");
    }
  }

  @Test
  void ledgerOfAnotherRunIsOneProblemAndIsAudited() {
    GeneratedLog log = new GeneratedLog(1, WINDOWS);
    AuditReport report = log.audit(new Random(1), "mine", List.of(), Map.of());
    assertThat(report.problems())
        .singleElement()
        .hasToString(
            "FOREIGN_RUN a.steps-0@%d: the ledger belongs to run 'run', run.id says 'mine'"
                .formatted(log.ledger().get(0).offset));
    assertThat(report.runId()).isEqualTo(RUN);
    assertThat(report.steps()).isEqualTo(WINDOWS);
  }

  @Test
  void promptOfAnotherRunIsOneProblemWhateverItAsksFor() {
    for (long seed = 0; seed < SEEDS; seed++) {
      GeneratedLog log = new GeneratedLog(seed, WINDOWS);
      Row foreign = copyToTheEnd(log, any(log.of(TOPICS.prompts()), new Random(seed)));
      set(foreign.record, "runId", "x");
      set(foreign.record, "minPolicyVersion", 77L);
      set(foreign.record, "exactPolicyVersion", 77L);
      foreign.bytes = log.encode(foreign);
      assertThat(log.audit(new Random(seed)).problemCounts())
          .as("seed %d", seed)
          .isEqualTo(Map.of(ProblemKind.FOREIGN_RUN, 1L));
    }
  }

  @Test
  void chainBreakIsNamedWithItsPlaceAndBothHashes() {
    GeneratedLog log = new GeneratedLog(3, WINDOWS);
    Row changed = log.ledger().get(4);
    Row next = log.ledger().get(5);
    String before = next.as(StepEvent.class).getPreviousEventHash();
    set(changed.record, "committedAt", 12345L);
    changed.bytes = log.encode(changed);
    AuditReport report = log.audit(new Random(3));
    assertThat(report.problems()).hasSize(1);
    assertThat(report.problems().get(0).where()).isEqualTo("a.steps-0@" + next.offset);
    assertThat(report.problems().get(0).what())
        .contains(before, EventHash.of(changed.bytes), next.as(StepEvent.class).getKind() + " of");
    assertThat(report.chainBreaks()).isEqualTo(1);
  }

  @Test
  void problemsAreCountedBeyondThoseThatAreKept() {
    GeneratedLog log = new GeneratedLog(1, 150);
    log.rows.removeIf(row -> row.topic.equals(TOPICS.prompts().name()));
    AuditReport report = log.audit(new Random(1));
    assertThat(report.problems()).hasSize(Problems.KEPT);
    assertThat(report.count(ProblemKind.PROMPT_MISSING))
        .isGreaterThanOrEqualTo(report.groups().dispatched());
    assertThat(report.problemCount()).isEqualTo(report.count(ProblemKind.PROMPT_MISSING));
  }

  @Test
  void damagedRecordsAreNamedAndWhatFollowsThemIsNotHeldAgainstThem() {
    GeneratedLog log = new GeneratedLog(3, WINDOWS);
    Row gone = row(log, log.pick(new Random(3), LogAuditTest::saysNothing));
    LogAudit audit = log.audit();
    for (Row row : log.rows) {
      if (row == gone) {
        audit.damaged(gone.topic, 0, gone.offset, gone.offset + 1, "wrong checksum");
      } else {
        audit.accept(log.audited(row));
      }
    }
    assertThat(audit.finish().problems())
        .singleElement()
        .hasToString(
            "DAMAGED a.steps-0@%d: cannot be read, up to offset %d: wrong checksum"
                .formatted(gone.offset, gone.offset));
  }

  @Test
  void groupHistoryTellsEverythingThatHappenedToAGroup() {
    GeneratedLog log = new GeneratedLog(2, WINDOWS);
    DeadLetter rejected =
        log.of(TOPICS.deadLetters()).stream()
            .map(row -> row.as(DeadLetter.class))
            .filter(letter -> letter.getReason() == RejectionReason.NON_FINITE)
            .findFirst()
            .orElseThrow();
    GroupHistory history = new GroupHistory(rejected.getGroupId());
    log.rows.forEach(row -> history.accept(log.audited(row)));
    assertThat(history.happenings())
        .extracting(GroupHistory.Happening::what)
        .contains(
            GroupHistory.What.DISPATCHED,
            GroupHistory.What.PROMPT,
            GroupHistory.What.ROLLOUT,
            GroupHistory.What.DEAD_LETTER);
    assertThat(history.happenings())
        .anyMatch(
            h -> h.what() == GroupHistory.What.DEAD_LETTER && h.detail().contains("NON_FINITE"))
        .anyMatch(
            h ->
                Set.of(
                        GroupHistory.What.TRAINED,
                        GroupHistory.What.PASSED,
                        GroupHistory.What.GIVEN_UP)
                    .contains(h.what()));
  }

  @Test
  void versionOriginNamesTheGroupsThatTrainedAVersion() {
    GeneratedLog log = new GeneratedLog(2, WINDOWS);
    StepEvent step = lastStep(log);
    VersionOrigin origin = new VersionOrigin(step.getPolicyVersionAfter());
    VersionOrigin initial = new VersionOrigin(0);
    log.rows.forEach(row -> origin.accept(log.audited(row)));
    log.rows.forEach(row -> initial.accept(log.audited(row)));
    assertThat(origin.groups())
        .extracting(VersionOrigin.Trained::groupId)
        .isEqualTo(step.getWindow().stream().map(WindowEntry::getGroupId).toList());
    assertThat(origin.isInitial()).isFalse();
    assertThat(initial.isInitial()).isTrue();
    assertThat(initial.groups()).isEmpty();
  }

  // what damages

  private static void changeAnEvent(GeneratedLog log, Random random) {
    set(log.pick(random, e -> e != events(log).get(events(log).size() - 1)), "committedAt", -1L);
  }

  private static void removeAnInterim(GeneratedLog log, Random random) {
    log.rows.remove(row(log, log.pick(random, LogAuditTest::saysNothing)));
  }

  private static void repeatTheLastStep(GeneratedLog log, Random random) {
    StepEvent copy = copyToTheEnd(log, row(log, lastStep(log))).as(StepEvent.class);
    set(copy, "skipped", List.of());
    set(copy, "dispatched", List.of());
    set(copy, "missingGroups", List.of());
    set(copy, "progress", List.of());
  }

  private static void insertJunk(GeneratedLog log, Random random) {
    Row next = any(log.ledger().subList(1, log.ledger().size()), random);
    long place = next.offset;
    log.ledger().stream().filter(row -> row.offset >= place).forEach(row -> row.offset++);
    nextStepOffset(log);
    log.rows.add(new Row(TOPICS.steps().name(), 0, place, null));
  }

  private static void insertForeignEvent(GeneratedLog log, Random random) {
    Row copy = copyToTheEnd(log, row(log, log.pick(random, LogAuditTest::saysNothing)));
    StepEvent event = copy.as(StepEvent.class);
    set(event, "runId", "other");
    set(event, "step", (long) WINDOWS);
    set(event, "policyVersionBefore", lastStep(log).getPolicyVersionAfter());
    set(event, "policyVersionAfter", lastStep(log).getPolicyVersionAfter());
    set(event, "weightsSha256", lastStep(log).getWeightsSha256());
    set(event, "configHash", lastSettled(log).getConfigHash());
    set(event, "progress", List.of());
  }

  private static void replaceAnInterim(
      GeneratedLog log, Random random, String field, Object value) {
    set(log.pick(random, LogAuditTest::saysNothing), field, value);
  }

  private static void trainAGroupAgain(GeneratedLog log, Random random) {
    StepEvent first = log.pick(random, e -> isFull(e) && e.getStep() < WINDOWS / 2);
    StepEvent second = log.pick(random, e -> isFull(e) && e.getStep() > WINDOWS / 2);
    List<WindowEntry> entries = new ArrayList<>(second.getWindow());
    entries.set(0, first.getWindow().get(0));
    set(second, "window", entries);
  }

  private static void loseAGroup(GeneratedLog log, Random random) {
    StepEvent step = log.pick(random, LogAuditTest::isFull);
    set(step, "window", step.getWindow().subList(1, step.getWindow().size()));
  }

  private static long forgetADispatch(GeneratedLog log, Random random) {
    Set<Long> inAWindow =
        events(log).stream()
            .flatMap(event -> event.getWindow().stream())
            .map(WindowEntry::getGroupId)
            .collect(Collectors.toSet());
    Map<Long, Long> times = timesDispatched(log);
    StepEvent event =
        log.pick(
            random,
            e ->
                e.getStep() < WINDOWS / 2
                    && e.getDispatched().size() == GROUPS
                    && times.get(e.getDispatched().get(0).getGroupId()) == 1
                    && inAWindow.contains(e.getDispatched().get(0).getGroupId()));
    long groupId = event.getDispatched().get(0).getGroupId();
    set(event, "dispatched", event.getDispatched().subList(1, GROUPS));
    return groupId;
  }

  /** An INTERIM that says nothing and waits for a window. */
  private static Optional<StepEvent> silentAt(GeneratedLog log, long window) {
    return events(log).stream()
        .filter(event -> saysNothing(event) && event.getStep() == window)
        .findFirst();
  }

  private static Map<Long, Long> timesDispatched(GeneratedLog log) {
    return events(log).stream()
        .flatMap(event -> event.getDispatched().stream())
        .collect(Collectors.groupingBy(DispatchedGroup::getGroupId, Collectors.counting()));
  }

  private static void removeWaiting(GeneratedLog log) {
    Set<String> named = new HashSet<>();
    for (StepEvent event : events(log)) {
      event.getWindow().forEach(e -> named.add(e.getPartition() + "@" + e.getRecordOffset()));
      event.getSkipped().forEach(s -> named.add(s.getPartition() + "@" + s.getRecordOffset()));
    }
    log.rows.removeIf(
        row ->
            row.topic.equals(TOPICS.rollouts().name())
                && !named.contains(row.partition + "@" + row.offset));
  }

  private static void deleteTheBeginning(GeneratedLog log, Random random) {
    WindowEntry entry = entry(log, random);
    log.deleteBefore(
        TOPICS.rollouts().name() + "-" + entry.getPartition(), entry.getRecordOffset() + 1);
  }

  private static void skipATrainedRecord(GeneratedLog log, Random random) {
    WindowEntry entry = entry(log, random);
    StepEvent event = lastSettled(log);
    List<SkippedRecord> skipped = new ArrayList<>(event.getSkipped());
    skipped.add(
        new SkippedRecord(
            entry.getPartition(), entry.getRecordOffset(), RejectionReason.DUPLICATE));
    set(event, "skipped", skipped);
  }

  private static void skipTwice(GeneratedLog log, Random random) {
    StepEvent event = log.pick(random, e -> !e.getSkipped().isEmpty());
    List<SkippedRecord> skipped = new ArrayList<>(event.getSkipped());
    skipped.add(skipped.get(0));
    set(event, "skipped", skipped);
  }

  private static void forgetASkip(GeneratedLog log, Random random) {
    StepEvent event = log.pick(random, e -> !e.getSkipped().isEmpty());
    set(event, "skipped", event.getSkipped().subList(1, event.getSkipped().size()));
  }

  private static void skipAsForeign(GeneratedLog log, Random random) {
    StepEvent event =
        log.pick(
            random,
            e ->
                e.getSkipped().stream().anyMatch(s -> s.getReason() == RejectionReason.NON_FINITE));
    SkippedRecord skip =
        event.getSkipped().stream()
            .filter(s -> s.getReason() == RejectionReason.NON_FINITE)
            .findFirst()
            .orElseThrow();
    set(skip, "reason", RejectionReason.FOREIGN_RUN);
    DeadLetter letter =
        log.of(TOPICS.deadLetters()).stream()
            .map(row -> row.as(DeadLetter.class))
            .filter(
                l ->
                    l.getSourcePartition() == skip.getPartition()
                        && l.getSourceOffset() == skip.getRecordOffset())
            .findFirst()
            .orElseThrow();
    set(letter, "reason", RejectionReason.FOREIGN_RUN);
  }

  private static void backToTheBeginning(PartitionProgress progress) {
    set(progress, "nextOffset", 0L);
    set(progress, "consumedAheadRanges", List.of());
  }

  private static void flip(SnapshotChunk chunk) {
    ByteBuffer data = ByteBuffer.allocate(chunk.getData().remaining());
    data.put(chunk.getData().duplicate()).flip();
    data.put(3, (byte) (data.get(3) ^ 1));
    set(chunk, "data", data);
  }

  // where it is damaged

  private static List<StepEvent> events(GeneratedLog log) {
    return log.ledger().stream().map(row -> row.as(StepEvent.class)).toList();
  }

  private static StepEvent genesis(GeneratedLog log) {
    return events(log).get(0);
  }

  private static boolean isStepOrNoOp(StepEvent event) {
    return event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP;
  }

  private static boolean isFull(StepEvent event) {
    return event.getKind() == StepKind.STEP && event.getWindow().size() == GROUPS;
  }

  /** An INTERIM that could be taken away without anything else being missed. */
  private static boolean saysNothing(StepEvent event) {
    return event.getKind() == StepKind.INTERIM
        && event.getSkipped().isEmpty()
        && event.getDispatched().isEmpty()
        && event.getMissingGroups().isEmpty();
  }

  private static StepEvent lastStep(GeneratedLog log) {
    return last(log, e -> e.getKind() == StepKind.STEP);
  }

  private static StepEvent lastSettled(GeneratedLog log) {
    return last(log, LogAuditTest::isStepOrNoOp);
  }

  private static StepEvent last(
      GeneratedLog log, java.util.function.Predicate<StepEvent> condition) {
    List<StepEvent> found = events(log).stream().filter(condition).toList();
    return found.get(found.size() - 1);
  }

  private static WindowEntry entry(GeneratedLog log, Random random) {
    return any(log.pick(random, LogAuditTest::isFull).getWindow(), random);
  }

  private static DeadLetter letter(GeneratedLog log, Random random) {
    return any(log.of(TOPICS.deadLetters()), random).as(DeadLetter.class);
  }

  private static List<Row> chunks(GeneratedLog log) {
    return log.of(TOPICS.snapshots()).stream()
        .filter(row -> row.record instanceof SnapshotChunk)
        .toList();
  }

  private static List<Row> manifests(GeneratedLog log) {
    return log.of(TOPICS.snapshots()).stream()
        .filter(row -> row.record instanceof SnapshotManifest)
        .toList();
  }

  private static <T> T any(List<T> list, Random random) {
    return list.get(random.nextInt(list.size()));
  }

  private static Row row(GeneratedLog log, StepEvent event) {
    return log.ledger().stream().filter(row -> row.record == event).findFirst().orElseThrow();
  }

  private static long nextStepOffset(GeneratedLog log) {
    return log.nextOffsets.merge(TOPICS.steps().name() + "-0", 1L, Long::sum) - 1;
  }

  private static Row copyToTheEnd(GeneratedLog log, Row row) {
    String key = row.topic + "-" + row.partition;
    long offset = log.nextOffsets.merge(key, 1L, Long::sum) - 1;
    Row copy = new Row(row.topic, row.partition, offset, log.copy(row));
    log.rows.add(copy);
    return copy;
  }
}
