package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.topic.RecordKeys;

class RecordScanTest {

  private static final TopicPartition PARTITION = new TopicPartition("prompts", 0);

  /** Prompts with holes between, replacements of old groups among them. */
  @Test
  void firstKeptIsTheFirstRecordThatMustStayOrTheEndOfWhatWasSeen() {
    for (long seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      TreeMap<Long, Long> groups = new TreeMap<>(); // by offset
      long end = 0;
      for (int i = 0; i < random.nextInt(30); i++) {
        end += random.nextInt(3);
        groups.put(end++, Math.max(0, i - random.nextInt(4)) * 1L);
      }
      long nextOffset = random.nextInt(5);
      long firstGroup = random.nextInt(30);
      long expected =
          groups.tailMap(nextOffset).entrySet().stream()
              .filter(record -> record.getValue() >= firstGroup)
              .map(Map.Entry::getKey)
              .findFirst()
              .orElse(groups.tailMap(nextOffset).isEmpty() ? nextOffset : groups.lastKey() + 1);
      assertThat(firstKept(groups, end, nextOffset, firstGroup))
          .as("seed %d", seed)
          .isEqualTo(expected);
    }
  }

  private static long firstKept(
      Map<Long, Long> groups, long end, long nextOffset, long firstGroup) {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
    consumer.updateEndOffsets(Map.of(PARTITION, end));
    consumer.schedulePollTask(
        () ->
            groups.forEach(
                (offset, group) ->
                    consumer.addRecord(
                        new ConsumerRecord<>(
                            PARTITION.topic(), 0, offset, RecordKeys.of(group), new byte[0]))));
    return new RecordScan(consumer)
        .firstKept(
            PARTITION,
            nextOffset,
            record -> RecordKeys.number(record.key()).orElseThrow() < firstGroup);
  }

  @Test
  void aBrokerThatSaysNothingIsNotWaitedForForEver() {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    consumer.updateBeginningOffsets(Map.of(PARTITION, 3L));
    consumer.updateEndOffsets(Map.of(PARTITION, 10L));
    assertThat(new RecordScan(consumer).firstKept(PARTITION, 0, record -> true)).isEqualTo(3);
    assertThat(consumer.assignment()).isEqualTo(java.util.Set.copyOf(List.of(PARTITION)));
  }
}
