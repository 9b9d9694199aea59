package org.p3ostream.deploy.meters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.progress.LedgerFixtures;
import org.p3ostream.learner.runtime.LearnerObserver.Phase;
import org.p3ostream.rolloutproducer.runtime.ProducerStatus;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SkippedRecord;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;

class RoleMetersTest {

  @TempDir private Path directory;

  @Test
  void nothingIsMeasuredOrWrittenUnlessAPortIsGiven() throws Exception {
    try (RoleMeters meters =
        RoleMeters.serve("learner", null, "key", directory.toString(), Map.of())) {
      assertThat(meters.registry()).isEmpty();
      meters.clients().close();
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void processTellsPrometheusWhereItIsUntilItEnds() throws Exception {
    Path targets = directory.resolve("new/targets");
    try (RoleMeters meters =
        RoleMeters.serve(
            "producer-a/b", 0, "key", targets.toString(), Map.of("run", "r", "role", "producer"))) {
      Path file = targets.resolve("producer-a_b.json");
      JsonNode group = new ObjectMapper().readTree(file.toFile()).get(0);
      assertThat(group.at("/labels/role").asText()).isEqualTo("producer");
      assertThat(targets).isDirectoryContaining(file::equals);
      String address = group.at("/targets/0").asText();
      assertThat(address).startsWith("127.0.0.1:");

      HttpResponse<String> answer = ask("GET", address, "/metrics");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
      assertThat(answer.body())
          .contains("jvm_memory_used_bytes{", "process_cpu_time_ns_total", "jvm_threads_live");
      assertThat(ask("GET", address, "/metrics/secret").statusCode()).isEqualTo(404);
      assertThat(ask("POST", address, "/metrics").statusCode()).isEqualTo(405);
    }
    assertThat(targets).isEmptyDirectory();
  }

  @Test
  void portThatIsTakenIsAnErrorOfTheConfiguration() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(
              () ->
                  RoleMeters.serve(
                      "learner", taken.getLocalPort(), "metrics.learnerPort", null, Map.of()))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("metrics.learnerPort: " + taken.getLocalPort() + " must be free");
    }
  }

  @Test
  void clientsAreMeasured() throws Exception {
    try (RoleMeters meters = RoleMeters.serve("learner", 0, "key", null, Map.of());
        KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                Map.of("bootstrap.servers", "127.0.0.1:1"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
      meters.clients().bind(consumer);
      assertThat(registry(meters).find("kafka.consumer.connection.count").gauge()).isNotNull();
      meters.clients().close();
    }
  }

  @Test
  void learnerMetersCountWhatIsCommitted() throws Exception {
    try (RoleMeters meters = RoleMeters.serve("learner", 0, "key", null, Map.of())) {
      LearnerMeters learner = new LearnerMeters(registry(meters));
      assertThat(value(meters, "p3o.learner.step")).isNaN();
      learner.spent(Phase.PRE_PASS, 250);
      StepEvent step =
          StepEvent.newBuilder(LedgerFixtures.step(7, 8, 9_000, 0.5, 0.9, 1, 576))
              .setWindow(List.of(new WindowEntry(0, 5L, 56L, 0, 7L)))
              .build();
      learner.committed(step);
      learner.committed(
          StepEvent.newBuilder(LedgerFixtures.interim(8, 8, 10_000))
              .setSkipped(
                  List.of(
                      new SkippedRecord(0, 1L, RejectionReason.NON_FINITE),
                      new SkippedRecord(0, 2L, RejectionReason.NON_FINITE)))
              .build());

      assertThat(value(meters, "p3o.learner.step")).isEqualTo(7);
      assertThat(value(meters, "p3o.learner.policy.version")).isEqualTo(8);
      assertThat(value(meters, "p3o.learner.tokens")).isEqualTo(576);
      assertThat(value(meters, "p3o.learner.groups")).isEqualTo(1);
      assertThat(value(meters, "p3o.learner.last.step.timestamp")).isEqualTo(9);
      assertThat(value(meters, "p3o.learner.events", "kind", "step")).isEqualTo(1);
      assertThat(value(meters, "p3o.learner.events", "kind", "interim")).isEqualTo(1);
      assertThat(value(meters, "p3o.learner.rejected.records", "reason", "non_finite"))
          .isEqualTo(2);
      assertThat(
              registry(meters)
                  .get("p3o.learner.phase")
                  .tag("phase", "pre_pass")
                  .timer()
                  .totalTime(TimeUnit.MILLISECONDS))
          .isEqualTo(250);
    }
  }

  @Test
  void producerMetersReadWhatTheProducerHasDone() throws Exception {
    long[] groups = {3};
    try (RoleMeters meters = RoleMeters.serve("producer-1", 0, "key", null, Map.of())) {
      ProducerMeters producer =
          new ProducerMeters(
              registry(meters),
              () -> new ProducerStatus(groups[0], 1, 24, 99, 2, 5, 6, 7, 8, 9, -1, ""));
      producer.sampled(10);
      producer.published(20);
      Map<String, ToLongFunction<long[]>> expected =
          Map.of(
              "p3o.producer.groups", g -> g[0],
              "p3o.producer.failed.groups", g -> 1,
              "p3o.producer.responses", g -> 24,
              "p3o.producer.tokens", g -> 99,
              "p3o.producer.skipped.prompts", g -> 2,
              "p3o.producer.retried.transactions", g -> 8,
              "p3o.producer.dropped.groups", g -> 9);
      expected.forEach(
          (name, v) -> assertThat(value(meters, name)).isEqualTo(v.applyAsLong(groups)));
      assertThat(value(meters, "p3o.producer.snapshots", "outcome", "loaded")).isEqualTo(5);
      assertThat(value(meters, "p3o.producer.snapshots", "outcome", "corrupt")).isEqualTo(6);
      assertThat(value(meters, "p3o.producer.snapshots", "outcome", "refused")).isEqualTo(7);
      assertThat(value(meters, "p3o.producer.policy.version")).isNaN();
      groups[0] = 4;
      assertThat(value(meters, "p3o.producer.groups")).isEqualTo(4);
      assertThat(registry(meters).get("p3o.producer.sampling").timer().count()).isEqualTo(1);
      assertThat(registry(meters).get("p3o.producer.publishing").timer().count()).isEqualTo(1);
    }
  }

  private static MeterRegistry registry(RoleMeters meters) {
    return meters.registry().orElseThrow();
  }

  private static double value(RoleMeters meters, String name, String... tags) {
    return registry(meters).get(name).tags(tags).meter().measure().iterator().next().getValue();
  }

  private static HttpResponse<String> ask(String method, String address, String path)
      throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://" + address + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }
}
