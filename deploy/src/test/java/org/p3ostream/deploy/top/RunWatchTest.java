package org.p3ostream.deploy.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunWatchTest {

  private final List<String> pages = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private RunWatch watch;
  private volatile Run run = new Run("demo", 1_000L, 10, 0.1);

  /**
   * What stands at the address.
   *
   * @param startedAt null before the server has read the ledger
   * @param steps how many there are
   * @param reward of each
   */
  private record Run(String runId, @Nullable Long startedAt, int steps, double reward) {

    String description() {
      return "{'runs':[{'runId':'%s','startedAt':%d,'newestStep':%d}]}"
          .formatted(runId, startedAt, steps - 1);
    }

    String stepsFrom(int from) {
      return IntStream.range(from, Math.max(from, steps))
          .mapToObj(step -> "{'step':%d,'training':{'rewardMean':%s}}".formatted(step, reward))
          .collect(
              Collectors.joining(
                  ",", "{'runId':'%s','steps':[".formatted(runId), "],'nextFrom':null}"));
    }
  }

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> answer(exchange, "{}"));
    server.createContext("/api/runs", exchange -> answer(exchange, run.description()));
    server.createContext(
        "/api/steps",
        exchange -> {
          String query = exchange.getRequestURI().getQuery();
          pages.add(query);
          int from = Integer.parseInt(query.replaceAll("from=(\\d+)&limit=1000", "$1"));
          answer(exchange, run.stepsFrom(from));
        });
    server.start();
    URI address = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
    watch = new RunWatch(new LiveApi(address, null), Clock.systemUTC());
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void onlyNewStepsOfTheSameRunAreAskedFor() throws Exception {
    watch.look();
    run = new Run("demo", 1_000L, 12, 0.1);

    assertThat(stepsSeen()).isEqualTo(range(12));
    assertThat(pages).containsExactly("from=0&limit=1000", "from=10&limit=1000");
  }

  @Test
  void stepsAreForgottenOnceAnotherRunOfTheSameNameHasFewer() throws Exception {
    watch.look();
    run = new Run("demo", 2_000L, 3, 0.2);

    assertThat(stepsSeen()).isEqualTo(range(3));
    assertThat(rewardsSeen()).containsOnly(0.2);
  }

  @Test
  void stepsAreForgottenWhenAnotherRunOfTheSameNameHasMore() throws Exception {
    watch.look();
    run = new Run("demo", 2_000L, 15, 0.2);

    assertThat(stepsSeen()).isEqualTo(range(15));
    assertThat(rewardsSeen()).containsOnly(0.2);
  }

  @Test
  void stepsAreForgottenWhenTheServerHasNotReadTheLedgerYet() throws Exception {
    watch.look();
    run = new Run("demo", null, 0, 0.2);
    assertThat(stepsSeen()).isEmpty();
    run = new Run("demo", 2_000L, 15, 0.2);

    assertThat(stepsSeen()).isEqualTo(range(15));
  }

  @Test
  void stepsAreForgottenWhenARunOfAnotherNameIsServed() throws Exception {
    watch.look();
    run = new Run("other", 1_000L, 15, 0.2);

    assertThat(watch.look().runId()).isEqualTo("other");
    assertThat(rewardsSeen()).hasSize(15).containsOnly(0.2);
  }

  private List<Long> stepsSeen() throws Exception {
    return watch.look().steps().stream().map(step -> step.path("step").asLong()).toList();
  }

  private List<Double> rewardsSeen() throws Exception {
    return watch.look().steps().stream()
        .map(step -> step.path("training").path("rewardMean").asDouble())
        .toList();
  }

  private static List<Long> range(long end) {
    return LongStream.range(0, end).boxed().toList();
  }

  private static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] body = text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
