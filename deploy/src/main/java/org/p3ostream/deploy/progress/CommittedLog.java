package org.p3ostream.deploy.progress;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.schemas.topic.TopicSpec;

/**
 * What those have committed who are done: a commit returns before the broker has written its
 * markers, partition by partition, and until then the end of what is committed lies before it.
 */
public final class CommittedLog {

  /** Longer than the broker keeps a transaction open whose process is gone. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  private CommittedLog() {}

  /**
   * Returns once all that is written by now is visible to those who read what is committed, or is
   * aborted; also when somebody keeps a transaction open for very long.
   *
   * @param topics existing ones
   */
  public static void await(Admin admin, Collection<TopicSpec> topics)
      throws InterruptedException, ExecutionException {
    await(admin, topics, PATIENCE);
  }

  static void await(Admin admin, Collection<TopicSpec> topics, Duration patience)
      throws InterruptedException, ExecutionException {
    long deadline = System.nanoTime() + patience.toNanos();
    List<TopicPartition> partitions = topics.stream().flatMap(CommittedLog::partitions).toList();
    Map<TopicPartition, Long> written = ends(admin, partitions, IsolationLevel.READ_UNCOMMITTED);
    while (!isVisible(written, ends(admin, partitions, IsolationLevel.READ_COMMITTED))
        && System.nanoTime() < deadline) {
      Thread.sleep(LOOK_AGAIN.toMillis());
    }
  }

  private static Stream<TopicPartition> partitions(TopicSpec topic) {
    return IntStream.range(0, topic.partitions())
        .mapToObj(partition -> new TopicPartition(topic.name(), partition));
  }

  private static boolean isVisible(
      Map<TopicPartition, Long> written, Map<TopicPartition, Long> committed) {
    return written.entrySet().stream()
        .allMatch(end -> committed.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  private static Map<TopicPartition, Long> ends(
      Admin admin, Collection<TopicPartition> partitions, IsolationLevel isolation)
      throws InterruptedException, ExecutionException {
    return admin
        .listOffsets(
            partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())),
            new ListOffsetsOptions(isolation))
        .all()
        .get()
        .entrySet()
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
  }
}
