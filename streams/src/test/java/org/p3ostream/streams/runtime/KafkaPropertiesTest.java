package org.p3ostream.streams.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.config.StreamsSettings;

class KafkaPropertiesTest {
  private static final StreamsSettings SETTINGS =
      new StreamsSettings("run", "p3o.", new StreamsConfig("127.0.0.1", 0, "dir", "app", 3, 5));

  @Test
  void streamsTakesItsSettings() {
    assertThat(KafkaProperties.streams(SETTINGS, Map.of()))
        .containsEntry("application.id", "app")
        .containsEntry("state.dir", "dir")
        .containsEntry("replication.factor", 3);
  }

  @Test
  void streamsPassesThroughWhatIsConfigured() {
    assertThat(KafkaProperties.streams(SETTINGS, Map.of("commit.interval.ms", "7", "x", "y")))
        .containsEntry("commit.interval.ms", "7")
        .containsEntry("x", "y");
  }

  @Test
  void streamsKeepsItsGuaranteesWhateverIsConfigured() {
    Map<String, String> hostile =
        Map.of(
            "processing.guarantee",
            "at_least_once",
            "num.stream.threads",
            "4",
            "production.exception.handler",
            "org.apache.kafka.streams.errors.DefaultProductionExceptionHandler");

    assertThat(KafkaProperties.streams(SETTINGS, hostile))
        .containsEntry("processing.guarantee", "exactly_once_v2")
        .containsEntry("num.stream.threads", 1)
        .containsEntry("production.exception.handler", FailOnSendError.class);
  }

  @Test
  void followerReadsCommittedRecordsWithoutAGroupWhateverIsConfigured() {
    Map<String, String> hostile =
        Map.of("group.id", "g", "isolation.level", "read_uncommitted", "bootstrap.servers", "b:1");

    assertThat(KafkaProperties.follower(hostile))
        .doesNotContainKey("group.id")
        .containsEntry("isolation.level", "read_committed")
        .containsEntry("bootstrap.servers", "b:1");
  }
}
