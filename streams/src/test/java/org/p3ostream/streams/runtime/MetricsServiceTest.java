package org.p3ostream.streams.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.config.StreamsSettings;
import org.p3ostream.streams.fixture.LoopbackRegistry;

/** Without a broker: what the service does when there is none. */
class MetricsServiceTest {

  @Test
  void awaitTerminationThrowsAndHealthSaysSoWhenNoBrokerAnswers() throws Exception {
    try (MetricsService service = service(1)) {
      service.start();

      assertThatThrownBy(service::awaitTermination)
          .isInstanceOf(ServiceFailedException.class)
          .hasMessageContaining("No topics could be listed within 1 s");
      assertThat(status(service, "/health/live")).isEqualTo(503);
      assertThat(status(service, "/health/ready")).isEqualTo(503);
    }
  }

  @Test
  void closeEndsTheWaitWhenNoBrokerAnswers() throws Exception {
    MetricsService service = service(3600);
    service.start();
    assertThat(status(service, "/health/live")).isEqualTo(200);
    assertThat(status(service, "/health/ready")).isEqualTo(503);

    service.close();

    service.awaitTermination();
  }

  @Test
  void closeIsHarmlessWhenTheServiceWasNeverStarted() throws Exception {
    MetricsService service = service(1);

    service.close();

    service.awaitTermination();
  }

  private static MetricsService service(int clientTimeoutSeconds) throws Exception {
    StreamsConfig config =
        new StreamsConfig("127.0.0.1", 0, "target/state", null, 1, clientTimeoutSeconds);
    return new MetricsService(
        new StreamsSettings("run", "p3o.", config),
        new StreamsClients(
            Map.of("bootstrap.servers", "127.0.0.1:" + freePort()),
            () -> LoopbackRegistry.codec(1)),
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
  }

  private static int status(MetricsService service, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + service.port() + path);
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .build()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
