package org.p3ostream.tests.faults;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * What the log of a run must hold true at any time, checked apart from the product's own audit and
 * with none of its code: a chain of events, each window where the ledger says it is, every group
 * trained once or still awaited, every record accounted for.
 */
final class IndependentAudit {

  private record Coordinate(int partition, long offset) {}

  private record Attempt(long groupId, int attempt) {}

  /**
   * A readable record of `rollouts`.
   *
   * @param value its bytes
   */
  record Rollout(int partition, long groupId, byte[] value) {}

  /** Counts of what is wrong. */
  record Verdict(long lost, long twice, long chainBreaks, List<String> problems) {
    boolean ok() {
      return problems.isEmpty();
    }

    /**
     * With what the product's own audit found.
     *
     * @param strangersPrompts records on `prompts` that no learner wrote: it must name each of them
     */
    Verdict and(AuditReport report, String promptsTopic, long strangersPrompts) {
      List<String> all = new ArrayList<>(problems);
      if (report.problemCount() != strangersPrompts) {
        all.add(
            "audit: %s, with %d foreign prompts"
                .formatted(report.problemCounts(), strangersPrompts));
      }
      report.problems().stream()
          .filter(problem -> !problem.where().startsWith(promptsTopic))
          .forEach(problem -> all.add("audit: " + problem));
      return new Verdict(
          Math.max(lost, report.lost()),
          Math.max(twice, report.duplicates()),
          Math.max(chainBreaks, report.chainBreaks()),
          all);
    }
  }

  /** Metric that streams give exactly once for every step. */
  private static final String METRIC = "rollout/reward_mean";

  private final TopicCatalogue topics;
  private final Map<Coordinate, Attempt> rollouts = new HashMap<>();
  private final List<Rollout> readable = new ArrayList<>();
  private final Set<Coordinate> unreadable = new HashSet<>();
  private final Set<Attempt> prompts = new HashSet<>();
  private final Map<Coordinate, Integer> deadLetters = new HashMap<>();
  private final Map<Long, Integer> metricPoints = new HashMap<>();
  private final List<StepEvent> events = new ArrayList<>();
  private final List<String> digests = new ArrayList<>();
  private final Map<Long, Integer> dispatched = new TreeMap<>();
  private final Map<Long, Attempt> trained = new HashMap<>();
  private final Map<Coordinate, Attempt> trainedAt = new HashMap<>();
  private final Set<Coordinate> skipped = new HashSet<>();
  private final Map<Integer, Long> nextOffsets = new HashMap<>();
  private final Map<Integer, PartitionProgress> progress = new HashMap<>();
  private final List<String> permanent = new ArrayList<>();
  private PromptTask lastPrompt;
  private String lastHash = EventHash.NONE;
  private long nextWindow;
  private long twice;
  private long chainBreaks;

  IndependentAudit(TopicCatalogue topics) {
    this.topics = topics;
  }

  /** Takes a committed record. */
  void take(ConsumerRecord<byte[], byte[]> record, Decoded decoded) {
    Object value = decoded instanceof Decoded.Accepted accepted ? accepted.record() : null;
    Coordinate at = new Coordinate(record.partition(), record.offset());
    if (record.topic().equals(topics.rollouts().name())) {
      if (value instanceof RolloutGroup group) {
        rollouts.put(at, new Attempt(group.getGroupId(), group.getAttempt()));
        readable.add(new Rollout(record.partition(), group.getGroupId(), record.value()));
      } else {
        unreadable.add(at);
      }
    } else if (record.topic().equals(topics.steps().name())) {
      if (value instanceof StepEvent event) {
        event(event, EventHash.of(record.value()));
      } else {
        chainBreaks++;
        permanent.add("steps@" + record.offset() + " is no step event");
      }
    } else if (value instanceof PromptTask task) {
      prompts.add(new Attempt(task.getGroupId(), task.getAttempt()));
      lastPrompt = task;
    } else if (value instanceof DeadLetter letter) {
      deadLetters.merge(
          new Coordinate(letter.getSourcePartition(), letter.getSourceOffset()), 1, Integer::sum);
    } else if (value instanceof MetricPoint point && point.getName().equals(METRIC)) {
      metricPoints.merge(point.getStep(), 1, Integer::sum);
    }
  }

  private void event(StepEvent event, String hash) {
    if (!event.getPreviousEventHash().equals(lastHash)) {
      chainBreaks++;
      permanent.add(
          "event %d (%s of step %d) does not follow its predecessor"
              .formatted(events.size(), event.getKind(), event.getStep()));
    }
    lastHash = hash;
    events.add(event);
    for (DispatchedGroup group : event.getDispatched()) {
      dispatched.put(group.getGroupId(), group.getAttempt());
    }
    for (WindowEntry entry : event.getWindow()) {
      Attempt attempt = new Attempt(entry.getGroupId(), entry.getAttempt());
      Coordinate at = new Coordinate(entry.getPartition(), entry.getRecordOffset());
      if (isConsumed(at)) {
        permanent.add("%s of step %d was consumed before".formatted(at, event.getStep()));
      }
      if (trained.put(entry.getGroupId(), attempt) != null || trainedAt.put(at, attempt) != null) {
        twice++;
        permanent.add("group %d of step %d twice".formatted(entry.getGroupId(), event.getStep()));
      }
    }
    for (SkippedRecord record : event.getSkipped()) {
      skipped.add(new Coordinate(record.getPartition(), record.getRecordOffset()));
    }
    for (PartitionProgress reached : event.getProgress()) {
      nextOffsets.put(reached.getPartition(), reached.getNextOffset());
      progress.put(reached.getPartition(), reached);
    }
    if (event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP) {
      if (event.getStep() != nextWindow) {
        permanent.add("step %d where %d was due".formatted(event.getStep(), nextWindow));
      }
      nextWindow = event.getStep() + 1;
      digests.add(event.getWeightsSha256());
    }
  }

  /**
   * What holds and what does not.
   *
   * @param twin weights after every step of the undisturbed run
   */
  Verdict verdict(List<String> twin) {
    List<String> problems = new ArrayList<>(permanent);
    List<Long> lost =
        dispatched.keySet().stream().filter(this::isSettled).filter(id -> !isTrained(id)).toList();
    if (!lost.isEmpty()) {
      problems.add("lost groups " + lost);
    }
    trainedAt.forEach(
        (at, attempt) -> {
          if (!attempt.equals(rollouts.get(at))) {
            problems.add("%s holds %s, not %s".formatted(at, rollouts.get(at), attempt));
          }
        });
    dispatched.forEach(
        (groupId, attempt) -> {
          if (!prompts.contains(new Attempt(groupId, attempt))) {
            problems.add("no prompt for group %d attempt %d".formatted(groupId, attempt));
          }
        });
    unaccounted(rollouts.keySet(), problems);
    unaccounted(unreadable, problems);
    if (!skipped.equals(deadLetters.keySet())
        || deadLetters.values().stream().anyMatch(count -> count > 1)) {
      problems.add(
          "%d records skipped by the ledger, dead letters of %d"
              .formatted(skipped.size(), deadLetters.size()));
    }
    for (int step = 0; step < Math.min(digests.size(), twin.size()); step++) {
      if (!digests.get(step).equals(twin.get(step))) {
        problems.add(
            "weights after step %d are %s, the twin's %s"
                .formatted(step, digests.get(step), twin.get(step)));
        break;
      }
    }
    return new Verdict(lost.size(), twice, chainBreaks, problems);
  }

  private boolean isConsumed(Coordinate at) {
    PartitionProgress reached = progress.get(at.partition());
    return reached != null
        && (at.offset() < reached.getNextOffset()
            || reached.getConsumedAhead().contains(at.offset())
            || reached.getConsumedAheadRanges().stream()
                .anyMatch(r -> r.getFromOffset() <= at.offset() && at.offset() <= r.getToOffset()));
  }

  private boolean isSettled(long groupId) {
    return groupId < nextWindow * SoakRun.GROUPS_PER_WINDOW;
  }

  private boolean isTrained(long groupId) {
    return trained.containsKey(groupId);
  }

  private void unaccounted(Set<Coordinate> records, List<String> problems) {
    for (Coordinate at : records) {
      if (at.offset() < nextOffsets.getOrDefault(at.partition(), 0L)
          && !trainedAt.containsKey(at)
          && !skipped.contains(at)) {
        problems.add("rollouts " + at + " is neither trained nor skipped");
      }
    }
  }

  /** Window that is due. */
  long nextWindow() {
    return nextWindow;
  }

  /** Events of the ledger. */
  List<StepEvent> events() {
    return events;
  }

  /** Weights after every step. */
  List<String> digests() {
    return digests;
  }

  long deadLetters() {
    return deadLetters.size();
  }

  /**
   * Every step before {@code end} has its metric exactly once.
   *
   * @throws IllegalStateException naming the first that has not
   */
  void requireMetricsOnce(long end) {
    for (long step = 0; step < end; step++) {
      if (metricPoints(step) != 1) {
        throw new IllegalStateException(
            "the metrics have step %d %d times".formatted(step, metricPoints(step)));
      }
    }
  }

  /** How often the metric of a step was published. */
  int metricPoints(long step) {
    return metricPoints.getOrDefault(step, 0);
  }

  /** The prompt that was read last. */
  PromptTask lastPrompt() {
    return lastPrompt;
  }

  /** All readable records of `rollouts`, of every partition in their order. */
  List<Rollout> rollouts() {
    return readable;
  }
}
