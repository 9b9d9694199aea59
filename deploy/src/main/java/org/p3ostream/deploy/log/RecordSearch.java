package org.p3ostream.deploy.log;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The first or the newest records of one type that fulfil a condition.
 *
 * @param <T> type of the records
 */
final class RecordSearch<T extends SpecificRecord> {

  /** Records that are handed on at a time, so that a long answer need not be held. */
  private static final int BATCH = 64;

  private final TopicReader topic;
  private final Class<T> type;
  private final Predicate<T> condition;
  private final Unreadable unreadable;

  /**
   * A record that was looked for.
   *
   * @param entry where it stands
   */
  record Found<T>(LogEntry entry, T record) {}

  /**
   * @param unreadable told about records that are not of the type
   */
  RecordSearch(TopicReader topic, Class<T> type, Predicate<T> condition, Unreadable unreadable) {
    this.topic = topic;
    this.type = type;
    this.condition = condition;
    this.unreadable = unreadable;
  }

  /**
   * Hands on what is found, in the order of time.
   *
   * @param limit how many at most
   * @param newest the last ones rather than the first
   * @return how many
   */
  int search(
      Map<TopicPartition, Span> spans, int limit, boolean newest, Consumer<List<Found<T>>> sink) {
    int[] count = new int[1];
    Consumer<List<Found<T>>> counting =
        found -> {
          count[0] += found.size();
          sink.accept(found);
        };
    if (limit > 0 && newest) {
      counting.accept(newest(spans, limit));
    } else if (limit > 0) {
      first(spans, limit, counting);
    }
    return count[0];
  }

  /** What has come since {@link TopicReader#follow}. */
  List<Found<T>> poll() {
    List<Found<T>> found = new ArrayList<>();
    topic.poll().forEach(entry -> addIfWanted(entry, found));
    return found;
  }

  private void first(Map<TopicPartition, Span> spans, int limit, Consumer<List<Found<T>>> sink) {
    List<Found<T>> found = new ArrayList<>();
    int[] handedOn = new int[1];
    topic.forward(
        spans,
        entry -> {
          addIfWanted(entry, found);
          boolean last = handedOn[0] + found.size() >= limit;
          if (!last && found.size() == BATCH) {
            sink.accept(List.copyOf(found));
            handedOn[0] += found.size();
            found.clear();
          }
          return !last;
        });
    sink.accept(found);
  }

  private List<Found<T>> newest(Map<TopicPartition, Span> spans, int limit) {
    List<Found<T>> found = new ArrayList<>();
    Map<TopicPartition, Integer> counts = new HashMap<>();
    topic.backward(
        spans,
        2L * limit + BATCH, // every record may have a transaction marker behind it
        entry -> {
          if (addIfWanted(entry, found)) {
            counts.merge(new TopicPartition(entry.topic(), entry.partition()), 1, Integer::sum);
          }
        },
        partition -> counts.getOrDefault(partition, 0) >= limit);
    found.sort(
        Comparator.comparingLong((Found<T> f) -> f.entry().timestamp())
            .thenComparingInt(f -> f.entry().partition())
            .thenComparingLong(f -> f.entry().recordOffset()));
    return found.subList(Math.max(0, found.size() - limit), found.size());
  }

  private boolean addIfWanted(LogEntry entry, List<Found<T>> found) {
    @Nullable T record = unreadable.read(entry, type);
    return record != null && condition.test(record) && found.add(new Found<>(entry, record));
  }
}
