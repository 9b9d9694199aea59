package org.p3ostream.schemas.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.junit.jupiter.api.Test;

class TopicCatalogueTest {

  private final TopicCatalogue topics = new TopicCatalogue("p3o.");

  @Test
  void allHoldsEveryTopicOfARunOnce() {
    assertThat(topics.all())
        .extracting(TopicSpec::name)
        .containsExactlyInAnyOrder(
            "p3o.prompts",
            "p3o.rollouts",
            "p3o.snapshots",
            "p3o.steps",
            "p3o.metrics",
            "p3o.dead-letters");
  }

  @Test
  void topicsWhoseOrderMattersHaveOnePartition() {
    assertThat(topics.all())
        .filteredOn(topic -> topic.partitions() == 1)
        .containsExactlyInAnyOrder(topics.snapshots(), topics.steps(), topics.deadLetters());
    assertThat(topics.prompts().partitions()).isEqualTo(8);
    assertThat(topics.rollouts().partitions()).isEqualTo(4);
  }

  @Test
  void topicsKeepTheirRecordsForEver() {
    assertThat(topics.all())
        .allSatisfy(
            topic ->
                assertThat(topic.settings())
                    .containsEntry(TopicConfig.CLEANUP_POLICY_CONFIG, "delete")
                    .containsEntry(TopicConfig.RETENTION_MS_CONFIG, "-1")
                    .containsEntry(TopicConfig.COMPRESSION_TYPE_CONFIG, "lz4"));
  }

  @Test
  void topicsOfLargeRecordsTakeThem() {
    assertThat(topics.rollouts().settings())
        .containsEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "16777216");
    assertThat(topics.snapshots().settings())
        .containsEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "2097152");
  }

  @Test
  void partitionOfIsGroupIdModuloPartitions() {
    assertThat(topics.rollouts().partitionOf(7)).isEqualTo(3);
    assertThat(topics.prompts().partitionOf(16)).isZero();
    assertThat(topics.rollouts().partitionOf(-1)).isEqualTo(3);
  }

  @Test
  void constructorsNameWhatIsWrong() {
    assertThatThrownBy(() -> new TopicCatalogue("a b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("run.topicPrefix")
        .hasMessageContaining("a b");
    assertThatThrownBy(() -> new TopicSpec("t", 0, Map.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0");
  }

  @Test
  void keysAreWhatKafkaClientsRead() {
    assertThat(new LongDeserializer().deserialize("t", RecordKeys.of(-5L))).isEqualTo(-5L);
    assertThat(RecordKeys.of("é")).containsExactly(0xc3, 0xa9);
  }
}
