package org.p3ostream.streams.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.streams.query.NotReadyException;
import org.p3ostream.streams.state.StoreNames;

class KafkaStoresTest {
  @TempDir private Path state;

  @Test
  void storeIsNotReadyBeforeTheTopologyIsStartedAndAfterItHasStopped() {
    StreamsBuilder nothing = new StreamsBuilder();
    nothing.stream("p3o.steps");
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "stores");
    properties.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "127.0.0.1:1");
    properties.put(StreamsConfig.STATE_DIR_CONFIG, state.toString());
    try (KafkaStreams streams = new KafkaStreams(nothing.build(), properties)) {
      KafkaStores stores = new KafkaStores(() -> streams);
      assertThat(new KafkaStores(() -> null).entries(StoreNames.PRODUCERS)).isNaN();
      assertThat(stores.entries(StoreNames.PRODUCERS)).isNaN();

      streams.close(Duration.ofSeconds(10));

      assertThatThrownBy(() -> stores.store(StoreNames.PRODUCERS))
          .isInstanceOf(NotReadyException.class)
          .hasMessageContaining("NOT_RUNNING");
    }
  }
}
