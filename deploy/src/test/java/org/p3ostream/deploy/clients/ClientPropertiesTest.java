package org.p3ostream.deploy.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.topic.TopicCatalogue;

class ClientPropertiesTest {

  private static final Map<String, String> BROKER = Map.of("bootstrap.servers", "broker:9092");

  @Test
  void producerIsTransactionalAndDoesNotLinger() {
    assertThat(new ClientProperties(BROKER).producer("id-1"))
        .containsEntry("bootstrap.servers", "broker:9092")
        .containsEntry("transactional.id", "id-1")
        .containsEntry("transaction.timeout.ms", "10000")
        .containsEntry("acks", "all")
        .containsEntry("enable.idempotence", "true")
        .containsEntry("linger.ms", "0")
        .containsEntry("compression.type", "lz4");
  }

  @Test
  void producerTakesTheLargestRollout() {
    Object size = new ClientProperties(BROKER).producer("id-1").get("max.request.size");
    assertThat(Integer.parseInt((String) size)).isGreaterThan(TopicCatalogue.MAX_ROLLOUT_BYTES);
  }

  @Test
  void consumersSeeCommittedRecordsOnly() {
    assertThat(new ClientProperties(BROKER).reader())
        .containsEntry("isolation.level", "read_committed")
        .containsEntry("enable.auto.commit", "false")
        .containsEntry("auto.offset.reset", "earliest")
        .doesNotContainKey("group.id");
    assertThat(new ClientProperties(BROKER).groupMember("g"))
        .containsEntry("group.id", "g")
        .containsEntry("session.timeout.ms", "10000")
        .containsEntry("max.poll.interval.ms", "30000")
        .containsEntry("isolation.level", "read_committed");
  }

  @Test
  void readerOfPromptsTakesNoMoreInHandThanItIsTold() {
    assertThat(new ClientProperties(BROKER).promptReader("g", 16))
        .containsEntry("group.id", "g")
        .containsEntry("max.poll.records", "16");
    assertThat(
            new ClientProperties(
                    Map.of("bootstrap.servers", "broker:9092", "max.poll.records", "3"))
                .promptReader("g", 16))
        .containsEntry("max.poll.records", "3");
  }

  /** What it looks for is one version among many, and it drops the rest of every fetch. */
  @Test
  void readerOfSnapshotsFetchesOneRecordAndLittleMore() {
    assertThat(fetchBytes(new ClientProperties(BROKER).snapshotReader()))
        .isBetween(TopicCatalogue.MAX_SNAPSHOT_BYTES, 2 * TopicCatalogue.MAX_SNAPSHOT_BYTES);
    assertThat(fetchBytes(new ClientProperties(BROKER).reader()))
        .isGreaterThan(TopicCatalogue.MAX_ROLLOUT_BYTES);
  }

  @Test
  void readerOfSnapshotsHoldsNoFetchForLong() {
    assertThat(new ClientProperties(BROKER).snapshotReader())
        .containsEntry("fetch.max.wait.ms", "10");
    assertThat(new ClientProperties(BROKER).reader()).containsEntry("fetch.max.wait.ms", "500");
  }

  private static int fetchBytes(Map<String, Object> properties) {
    return Integer.parseInt((String) properties.get("max.partition.fetch.bytes"));
  }

  @Test
  void userPropertiesWin() {
    ClientProperties properties =
        new ClientProperties(
            Map.of(
                "bootstrap.servers", "b:1",
                "linger.ms", "7",
                "session.timeout.ms", "9999",
                "security.protocol", "SSL"));
    assertThat(properties.producer("t"))
        .containsEntry("linger.ms", "7")
        .containsEntry("security.protocol", "SSL");
    assertThat(properties.groupMember("g")).containsEntry("session.timeout.ms", "9999");
    assertThat(properties.admin()).containsEntry("security.protocol", "SSL");
  }

  @Test
  void userPropertiesOfAnotherClientAreLeftOut() {
    ClientProperties properties =
        new ClientProperties(Map.of("bootstrap.servers", "b:1", "linger.ms", "7", "own.key", "x"));
    assertThat(properties.reader()).doesNotContainKey("linger.ms").containsEntry("own.key", "x");
    assertThat(properties.admin()).doesNotContainKey("linger.ms").containsEntry("own.key", "x");
  }
}
