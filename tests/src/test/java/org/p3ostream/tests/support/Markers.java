package org.p3ostream.tests.support;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The markers with which a broker ends a transaction. A commit returns before they are written, so
 * whoever reads at once, committed records only, may not see what was committed.
 */
public final class Markers {

  private Markers() {}

  /** Returns once no transaction is open in any of the partitions, nor was one just committed. */
  public static void await(Admin admin, Collection<TopicPartition> partitions) {
    TestRun.until(
        "markers of " + partitions,
        () ->
            ends(admin, partitions, IsolationLevel.READ_COMMITTED)
                .equals(ends(admin, partitions, IsolationLevel.READ_UNCOMMITTED)));
  }

  /**
   * Ends behind what is not committed yet, too: who reads committed records up to there misses
   * nothing that was committed before.
   */
  public static Map<TopicPartition, Long> written(
      String bootstrapServers, Collection<TopicPartition> partitions) {
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_uncommitted"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer())) {
      return consumer.endOffsets(partitions);
    }
  }

  private static Map<TopicPartition, Long> ends(
      Admin admin, Collection<TopicPartition> partitions, IsolationLevel isolation)
      throws ExecutionException, InterruptedException {
    Map<TopicPartition, Long> ends = new HashMap<>();
    admin
        .listOffsets(
            partitions.stream()
                .collect(Collectors.toMap(Function.identity(), p -> OffsetSpec.latest())),
            new ListOffsetsOptions(isolation))
        .all()
        .get()
        .forEach((partition, end) -> ends.put(partition, end.offset()));
    return ends;
  }
}
