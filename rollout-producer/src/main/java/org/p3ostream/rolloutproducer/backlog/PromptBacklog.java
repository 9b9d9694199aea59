package org.p3ostream.rolloutproducer.backlog;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.PromptTask;

/**
 * The prompts in hand, one queue per owned partition.
 *
 * <p>Invariants: a partition's prompts are started and finished in the order of their offsets, so
 * the finished ones are a prefix and one offset says all; what belongs to a partition that is no
 * longer owned is gone, its results included.
 *
 * @param <R> result of a prompt
 */
public final class PromptBacklog<R> {

  private final Map<TopicPartition, ArrayDeque<Entry<R>>> queues =
      new TreeMap<>(
          Comparator.comparing(TopicPartition::topic).thenComparing(TopicPartition::partition));
  private final Map<TopicPartition, Integer> startsOfNext = new HashMap<>();

  /** Takes over a partition whose next prompt was started {@code earlierStarts} times before. */
  public void own(TopicPartition partition, int earlierStarts) {
    if (earlierStarts > 0) {
      startsOfNext.put(partition, earlierStarts);
    }
  }

  /** Forgets everything about partitions that belong to somebody else now. */
  public void disown(Collection<TopicPartition> partitions) {
    partitions.forEach(queues::remove);
    partitions.forEach(startsOfNext::remove);
  }

  /** Appends a prompt that is to be sampled. */
  public void add(PromptPosition position, PromptTask task) {
    append(position, task);
  }

  /** Appends a record that needs no result: its offset is passed with those before it. */
  public void addSkipped(PromptPosition position) {
    append(position, null).finished = true;
  }

  private Entry<R> append(PromptPosition position, @Nullable PromptTask task) {
    ArrayDeque<Entry<R>> queue =
        queues.computeIfAbsent(position.partition(), p -> new ArrayDeque<>());
    if (!queue.isEmpty() && queue.getLast().position.offset() >= position.offset()) {
      throw new IllegalStateException(
          position + " was polled after offset " + queue.getLast().position.offset());
    }
    Integer starts = startsOfNext.remove(position.partition());
    Entry<R> entry = new Entry<>(position, task, starts == null ? 0 : starts);
    queue.add(entry);
    return entry;
  }

  /**
   * The prompt to start next: of the first unstarted prompts of all partitions, the servable one
   * with the lowest group id.
   */
  public Optional<PendingPrompt> nextStartable(Predicate<PendingPrompt> servable) {
    return heads().stream().filter(servable).findFirst();
  }

  /** The first unstarted prompt of each partition, by group id. */
  public List<PendingPrompt> heads() {
    List<PendingPrompt> heads = new ArrayList<>();
    for (ArrayDeque<Entry<R>> queue : queues.values()) {
      firstUnfinished(queue).flatMap(Entry::pending).ifPresent(heads::add);
    }
    heads.sort(Comparator.comparingLong(prompt -> prompt.task().getGroupId()));
    return heads;
  }

  /** Marks a prompt as being sampled. */
  public void start(PromptPosition position) {
    Entry<R> entry =
        unfinishedAt(position)
            .orElseThrow(() -> new IllegalStateException(position + " is not in hand"));
    entry.started = true;
  }

  /**
   * Notes the result of a prompt.
   *
   * @return false if the prompt is no longer in hand: the result is to be dropped
   */
  public boolean finish(PromptPosition position, R result) {
    Optional<Entry<R>> entry = unfinishedAt(position);
    entry.ifPresent(
        e -> {
          e.result = result;
          e.finished = true;
        });
    return entry.isPresent();
  }

  /** Everything finished so far; stays in hand until {@link #published}. */
  public FinishedBatch<R> finished() {
    List<R> results = new ArrayList<>();
    Map<TopicPartition, OffsetAndMetadata> nextOffsets = new HashMap<>();
    queues.forEach(
        (partition, queue) -> {
          for (Entry<R> entry : queue) {
            if (!entry.finished) {
              break;
            }
            Optional.ofNullable(entry.result).ifPresent(results::add);
            nextOffsets.put(partition, entry.nextOffset());
          }
        });
    return new FinishedBatch<>(results, nextOffsets);
  }

  /** Puts another result into the place of one that cannot be published. */
  public void replace(R result, R other) {
    for (ArrayDeque<Entry<R>> queue : queues.values()) {
      for (Entry<R> entry : queue) {
        if (result.equals(entry.result)) {
          entry.result = other;
        }
      }
    }
  }

  /** Lets go of what was published. */
  public void published(FinishedBatch<R> batch) {
    batch
        .nextOffsets()
        .forEach(
            (partition, next) -> {
              ArrayDeque<Entry<R>> queue = queues.get(partition);
              while (queue != null
                  && !queue.isEmpty()
                  && queue.getFirst().position.offset() < next.offset()) {
                queue.removeFirst();
              }
            });
    queues.values().removeIf(ArrayDeque::isEmpty);
  }

  /**
   * Whether some prompt in hand was started before and never finished. It may have killed its
   * producer: until it is published, prompts are to be started and published one by one, so that
   * only the one which kills is counted again.
   */
  public boolean holdsSuspect() {
    return queues.values().stream()
        .anyMatch(queue -> queue.stream().anyMatch(entry -> entry.earlierStarts > 0));
  }

  /**
   * What to commit before {@code next} is started: unchanged offsets that carry the count of starts
   * of the prompt right there. Covers every partition's first prompt at once, unless there is a
   * suspect.
   */
  public Map<TopicPartition, OffsetAndMetadata> startMarks(PromptPosition next) {
    boolean all = !holdsSuspect();
    Map<TopicPartition, OffsetAndMetadata> marks = new HashMap<>();
    queues.forEach(
        (partition, queue) -> {
          Entry<R> first = queue.getFirst();
          if ((all || first.position.equals(next))
              && first.pending().isPresent()
              && !first.marked) {
            first.marked = true;
            marks.put(partition, first.mark(first.earlierStarts + 1));
          }
        });
    return marks;
  }

  /**
   * What to commit when {@code partitions} are given back in good order: the marks of prompts that
   * were started, or meant to be, taken back.
   */
  public Map<TopicPartition, OffsetAndMetadata> withdrawnMarks(
      Collection<TopicPartition> partitions) {
    Map<TopicPartition, OffsetAndMetadata> marks = new HashMap<>();
    for (TopicPartition partition : partitions) {
      ArrayDeque<Entry<R>> queue = queues.get(partition);
      if (queue != null && queue.getFirst().marked) {
        marks.put(partition, queue.getFirst().mark(queue.getFirst().earlierStarts));
      }
    }
    return marks;
  }

  /** Partitions with a prompt or an unpublished result in hand. */
  public Set<TopicPartition> partitions() {
    return Set.copyOf(queues.keySet());
  }

  public boolean isEmpty() {
    return queues.isEmpty();
  }

  private Optional<Entry<R>> unfinishedAt(PromptPosition position) {
    ArrayDeque<Entry<R>> queue = queues.get(position.partition());
    return queue == null
        ? Optional.empty()
        : firstUnfinished(queue).filter(e -> e.position.offset() == position.offset());
  }

  private static <R> Optional<Entry<R>> firstUnfinished(ArrayDeque<Entry<R>> queue) {
    return queue.stream().filter(entry -> !entry.finished).findFirst();
  }

  private static final class Entry<R> {
    private final PromptPosition position;
    private final @Nullable PromptTask task;
    private final int earlierStarts;
    private boolean marked;
    private boolean started;
    private boolean finished;
    private @Nullable R result;

    Entry(PromptPosition position, @Nullable PromptTask task, int earlierStarts) {
      this.position = position;
      this.task = task;
      this.earlierStarts = earlierStarts;
    }

    Optional<PendingPrompt> pending() {
      return task == null || started
          ? Optional.empty()
          : Optional.of(new PendingPrompt(position, task, earlierStarts));
    }

    OffsetAndMetadata mark(int starts) {
      return new OffsetAndMetadata(
          position.offset(), position.leaderEpoch(), StartCount.toMetadata(starts));
    }

    OffsetAndMetadata nextOffset() {
      return new OffsetAndMetadata(position.offset() + 1, position.leaderEpoch(), "");
    }
  }
}
