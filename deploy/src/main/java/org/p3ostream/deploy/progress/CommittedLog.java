package org.p3ostream.deploy.progress;

import java.time.Duration;
import java.util.Collection;
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
 * What was written by a moment, and whether it can be seen yet: a commit returns before the broker
 * has written its markers, partition by partition, and until then the end of what is committed lies
 * before it.
 */
public final class CommittedLog {

  /** Longer than the broker keeps a transaction open whose process is gone. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  private final Admin admin;
  private final Map<TopicPartition, Long> written;

  private CommittedLog(Admin admin, Map<TopicPartition, Long> written) {
    this.admin = admin;
    this.written = written;
  }

  /** Of what is written now. */
  public static CommittedLog of(Admin admin, Collection<TopicPartition> partitions)
      throws InterruptedException, ExecutionException {
    return new CommittedLog(admin, ends(admin, partitions, IsolationLevel.READ_UNCOMMITTED));
  }

  /**
   * Returns once all that is written now is visible, or is aborted; also when somebody keeps a
   * transaction open for very long.
   *
   * @param topics existing ones
   */
  public static void await(Admin admin, Collection<TopicSpec> topics)
      throws InterruptedException, ExecutionException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    CommittedLog log = of(admin, topics.stream().flatMap(CommittedLog::partitions).toList());
    while (!log.isVisible() && System.nanoTime() < deadline) {
      Thread.sleep(LOOK_AGAIN.toMillis());
    }
  }

  /** Whether who reads what is committed misses nothing of it any more. */
  public boolean isVisible() throws InterruptedException, ExecutionException {
    Map<TopicPartition, Long> committed =
        ends(admin, written.keySet(), IsolationLevel.READ_COMMITTED);
    return written.entrySet().stream()
        .allMatch(end -> committed.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  private static Stream<TopicPartition> partitions(TopicSpec topic) {
    return IntStream.range(0, topic.partitions())
        .mapToObj(partition -> new TopicPartition(topic.name(), partition));
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
