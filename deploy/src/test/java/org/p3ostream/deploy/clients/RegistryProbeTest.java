package org.p3ostream.deploy.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.stack.FreePorts;
import org.p3ostream.schemas.registry.RegistryConfig;

class RegistryProbeTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final AtomicInteger requests = new AtomicInteger();
  private final List<String> notices = new ArrayList<>();
  private HttpServer server;
  private volatile int failures;
  private volatile int status = 200;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/subjects",
        exchange -> {
          byte[] body = "[]".getBytes(StandardCharsets.UTF_8);
          int answer = requests.incrementAndGet() <= failures ? 503 : status;
          exchange.sendResponseHeaders(answer, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void awaitReturnsOnceTheRegistryHasStarted() {
    failures = 3;

    probe("http://127.0.0.1:" + server.getAddress().getPort()).await(PATIENCE);

    assertThat(requests).hasValue(4);
  }

  @Test
  void awaitTakesARefusalForAnAnswer() {
    status = 403;

    probe("http://127.0.0.1:" + server.getAddress().getPort()).await(PATIENCE);

    assertThat(requests).hasValue(1);
  }

  @Test
  void awaitNamesTheAddressWhenNobodyAnswers() {
    String url = "http://127.0.0.1:" + FreePorts.onLoopback(1).get(0);

    assertThatThrownBy(() -> probe(url).await(Duration.ofMillis(1)))
        .isInstanceOf(RegistryUnreachableException.class)
        .hasMessageContaining("registry.url=" + url);
  }

  private RegistryProbe probe(String url) {
    RegistryConfig defaults = RegistryConfig.defaults();
    return new RegistryProbe(
        new RegistryConfig(
            url, null, null, defaults.connectTimeout(), defaults.requestTimeout(), 5, null, null),
        notices::add);
  }
}
