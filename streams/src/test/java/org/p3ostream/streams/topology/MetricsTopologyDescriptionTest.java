package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.edge.PatientCodec;
import org.p3ostream.streams.fixture.LoopbackRegistry;

/**
 * Names of sources, internal topics and stores are a contract: a running application finds its
 * state by them. When this test fails on purpose, the new description belongs into the file, and
 * running applications need a new application id.
 */
class MetricsTopologyDescriptionTest {

  @Test
  void describeIsTheGoldenOne() throws IOException {
    assertThat(description(true).strip()).isEqualTo(golden().strip());
  }

  @Test
  void aServiceThatDoesNotPublishReadsTheSameAndWritesNoPoint() {
    assertThat(description(false))
        .contains("read-ledger", "window-accounting", "dead-letter-accounting")
        .doesNotContain("p3o.metrics");
  }

  private static String description(boolean publishes) {
    try (PatientCodec codec =
        new PatientCodec(LoopbackRegistry.codec(1), Duration.ZERO, Duration.ZERO)) {
      return new MetricsTopology(
              new TopicCatalogue("p3o."),
              "run",
              codec,
              new SimpleMeterRegistry(),
              publishes,
              () -> 0)
          .build()
          .describe()
          .toString();
    }
  }

  private static String golden() throws IOException {
    try (InputStream file =
        MetricsTopologyDescriptionTest.class.getResourceAsStream("metrics-topology.txt")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
