package org.p3ostream.deploy.log;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;

/**
 * Looks up what belongs to rollout groups: prompts by group id and attempt, which were written
 * before them, and ledger entries by coordinate, which were written after them. Where to look
 * follows from the groups' timestamps, so that a long log is not read as a whole. Records that
 * cannot be read are left out.
 */
final class RolloutJoin {

  /** How far the clocks of brokers, learner and producers may be apart. */
  private static final long CLOCK_MARGIN_MS = 60_000;

  /** Offsets that are looked back over, per partition: far more than prompts wait for. */
  private static final long PROMPT_HORIZON = 1 << 15;

  private static final long PROMPT_STRETCH = 64;

  private final @Nullable TopicReader prompts;
  private final @Nullable TopicReader steps;

  private record PromptKey(long groupId, int attempt) {}

  private record Coordinate(int partition, long recordOffset) {}

  RolloutJoin(@Nullable TopicReader prompts, @Nullable TopicReader steps) {
    this.prompts = prompts;
    this.steps = steps;
  }

  /** {@code bare} with their prompts, and with their fates if asked for. */
  List<RolloutView> views(List<RolloutView> bare, boolean askLedger) {
    if (bare.isEmpty()) {
      return bare;
    }
    LongSummaryStatistics times =
        bare.stream().mapToLong(view -> view.entry().timestamp()).summaryStatistics();
    Map<PromptKey, PromptTask> tasks = findTasks(bare, times.getMax());
    Map<Coordinate, Fate> fates = askLedger ? findFates(bare, times.getMin()) : Map.of();
    Fate otherwise = askLedger && steps != null ? new Fate.Open() : new Fate.Unasked();
    return bare.stream()
        .map(
            view ->
                new RolloutView(
                    view.entry(),
                    view.group(),
                    tasks.get(promptKey(view)),
                    fates.getOrDefault(coordinate(view), otherwise)))
        .toList();
  }

  private Map<PromptKey, PromptTask> findTasks(List<RolloutView> views, long newestTimestamp) {
    TopicReader topic = prompts;
    Map<PromptKey, PromptTask> found = new HashMap<>();
    if (topic == null) {
      return found;
    }
    Map<TopicPartition, Set<PromptKey>> wanted =
        views.stream()
            .map(RolloutJoin::promptKey)
            .collect(
                Collectors.groupingBy(
                    key -> topic.partitionOf(key.groupId()),
                    Collectors.toCollection(HashSet::new)));
    topic.backward(
        horizon(topic.before(newestTimestamp + CLOCK_MARGIN_MS, wanted.keySet())),
        PROMPT_STRETCH,
        entry -> {
          if (entry.value() instanceof Decoded.Accepted accepted
              && accepted.record() instanceof PromptTask task) {
            PromptKey key = new PromptKey(task.getGroupId(), task.getAttempt());
            if (wanted.values().stream().anyMatch(keys -> keys.contains(key))) {
              found.put(key, task);
            }
          }
        },
        partition -> found.keySet().containsAll(wanted.getOrDefault(partition, Set.of())));
    return found;
  }

  private static Map<TopicPartition, Span> horizon(Map<TopicPartition, Span> spans) {
    Map<TopicPartition, Span> near = new HashMap<>(spans);
    near.replaceAll(
        (partition, span) ->
            new Span(
                Math.max(span.nextOffset(), span.endOffset() - PROMPT_HORIZON), span.endOffset()));
    return near;
  }

  private Map<Coordinate, Fate> findFates(List<RolloutView> views, long oldestTimestamp) {
    Map<Coordinate, Fate> found = new HashMap<>();
    if (steps == null) {
      return found;
    }
    Set<Coordinate> wanted =
        views.stream().map(RolloutJoin::coordinate).collect(Collectors.toSet());
    steps.forward(
        steps.since(oldestTimestamp - CLOCK_MARGIN_MS),
        entry -> {
          if (entry.value() instanceof Decoded.Accepted accepted
              && accepted.record() instanceof StepEvent event) {
            addFates(event, wanted, found);
          }
          return found.size() < wanted.size();
        });
    return found;
  }

  private static void addFates(
      StepEvent event, Collection<Coordinate> wanted, Map<Coordinate, Fate> found) {
    for (WindowEntry entry : event.getWindow()) {
      Coordinate coordinate = new Coordinate(entry.getPartition(), entry.getRecordOffset());
      if (wanted.contains(coordinate)) {
        found.put(coordinate, new Fate.Trained(event.getStep(), event.getPolicyVersionBefore()));
      }
    }
    for (SkippedRecord skipped : event.getSkipped()) {
      Coordinate coordinate = new Coordinate(skipped.getPartition(), skipped.getRecordOffset());
      if (wanted.contains(coordinate)) {
        found.put(coordinate, new Fate.Skipped(event.getStep(), skipped.getReason()));
      }
    }
  }

  private static PromptKey promptKey(RolloutView view) {
    return new PromptKey(view.group().getGroupId(), view.group().getAttempt());
  }

  private static Coordinate coordinate(RolloutView view) {
    return new Coordinate(view.entry().partition(), view.entry().recordOffset());
  }
}
