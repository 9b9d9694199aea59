package org.p3ostream.deploy.meters;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.p3ostream.deploy.config.ConfigException;

/** Serves {@code /metrics} on the loopback interface, one request after the other. */
final class MetricsEndpoint implements AutoCloseable {

  private static final String PATH = "/metrics";
  private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";

  private final PrometheusMeterRegistry registry;
  private final HttpServer server;
  private final ExecutorService executor =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "metrics-endpoint");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Binds.
   *
   * @param port 0 takes a free one, see {@link #port()}
   * @param key that {@code port} was configured by, for the message
   * @throws ConfigException if it is taken
   */
  MetricsEndpoint(PrometheusMeterRegistry registry, int port, String key) {
    this.registry = registry;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException e) {
      throw new ConfigException(
          key + ": " + port + " must be free on the loopback interface: " + e.getMessage());
    }
    server.setExecutor(executor);
    server.createContext("/", this::answer);
    server.start();
  }

  /** The port that was bound. */
  int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(404, -1);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.getResponseHeaders().set("Allow", "GET");
        exchange.sendResponseHeaders(405, -1);
      } else {
        byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", TEXT);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.sendResponseHeaders(200, text.length);
        try (OutputStream body = exchange.getResponseBody()) {
          body.write(text);
        }
      }
    }
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
