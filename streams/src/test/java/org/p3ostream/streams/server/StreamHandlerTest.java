package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepLogs;

/** The stream on a real server with clients that see the wire. */
@Timeout(
    value = 90,
    threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a read cannot be interrupted
class StreamHandlerTest {
  private static final StreamLimits PATIENT = new StreamLimits(4, 60_000, 60_000, 1);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private MetricsServer server;

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void heldStepsComeFirstAndInOrderWithTheirIndexAsId() throws Exception {
    serve(StepLogs.ofSteps(100), PATIENT);
    try (EventStream stream = open("")) {
      assertThat(stream.response().headers().firstValue("Content-Type"))
          .contains("text/event-stream; charset=utf-8");
      assertThat(stream.response().headers().firstValue("Cache-Control")).contains("no-store");
      assertThat(stream.next().data()).isEqualTo("retry: 1000");
      assertThat(stream.next().name()).isEqualTo("run");
      assertThat(stream.steps(100)).isEqualTo(range(0, 100));
    }
  }

  @Test
  void stepsAreWhatTheApiShows() throws Exception {
    serve(StepLogs.ofSteps(1), PATIENT);
    try (EventStream stream = open("")) {
      JsonNode step = new ObjectMapper().readTree(stream.next("step").data());

      assertThat(step.at("/step").asLong()).isZero();
      assertThat(step.at("/training/adaptiveCap").asDouble()).isEqualTo(1.05);
      assertThat(step.at("/phases/updateMillis").asDouble()).isEqualTo(3);
    }
  }

  @Test
  void stepsComeWithoutGapOrDoubleWhenTheyAreCommittedMeanwhile() throws Exception {
    StepLog log = StepLogs.ofSteps(500);
    serve(log, PATIENT);
    Thread reader = new Thread(() -> StepLogs.addSteps(log, 500, 5_000), "reader-of-the-log");
    reader.start();
    try (EventStream stream = open("?from=250")) {
      assertThat(stream.steps(4_750)).isEqualTo(range(250, 5_000));
    } finally {
      reader.join();
    }
  }

  @Test
  void streamGoesOnAfterTheLastEventSeen() throws Exception {
    StepLog log = StepLogs.ofSteps(10);
    serve(log, PATIENT);
    String lastSeen;
    try (EventStream first = open("")) {
      lastSeen = first.steps(6).get(5).toString();
    }
    try (EventStream second = open("?from=0", "Last-Event-ID", lastSeen)) {
      assertThat(second.steps(4)).isEqualTo(range(6, 10));
      StepLogs.addSteps(log, 10, 11);
      assertThat(second.steps(1)).containsExactly(10L);
    }
  }

  @Test
  void aClientAheadOfTheLogGetsWhatItLacksOnceItComes() throws Exception {
    StepLog log = new StepLog(Records.RUN);
    serve(log, PATIENT);
    try (EventStream stream = open("", "Last-Event-ID", "6")) {
      StepLogs.addSteps(log, 0, 9);

      assertThat(stream.steps(2)).containsExactly(7L, 8L);
    }
  }

  @Test
  void gapIsToldWhenStepsAskedForAreNoLongerHeld() throws Exception {
    StepLog log = new StepLog(Records.RUN, 10);
    StepLogs.addSteps(log, 0, 30);
    serve(log, PATIENT);
    try (EventStream stream = open("?from=5")) {
      JsonNode gap = new ObjectMapper().readTree(stream.next("gap").data());

      assertThat(gap.at("/from").asLong()).isEqualTo(5);
      assertThat(gap.at("/to").asLong()).isEqualTo(19);
      assertThat(gap.at("/reason").asText()).contains("no longer held");
      assertThat(stream.steps(10)).isEqualTo(range(20, 30));
    }
  }

  @Test
  void runIsToldAtOnceAndAgainWhenItsBeginningIsRead() throws Exception {
    StepLog log = new StepLog(Records.RUN);
    serve(log, PATIENT);
    try (EventStream stream = open("")) {
      JsonNode before = new ObjectMapper().readTree(stream.next("run").data());
      StepLogs.addGenesis(log, Records.NOW);
      JsonNode after = new ObjectMapper().readTree(stream.next("run").data());

      assertThat(before.at("/runId").asText()).isEqualTo(Records.RUN);
      assertThat(before.at("/startedAt").isNull()).isTrue();
      assertThat(before.at("/newestStep").asLong()).isEqualTo(-1);
      assertThat(after.at("/startedAt").asLong()).isEqualTo(Records.NOW);
      assertThat(after.at("/scheduleSteps").asLong()).isEqualTo(150);
    }
  }

  @Test
  void heartbeatsComeWhenNothingElseDoes() throws Exception {
    serve(StepLogs.ofSteps(0), new StreamLimits(4, 20, 60_000, 1));
    try (EventStream stream = open("")) {
      stream.next("run");

      assertThat(stream.next().data()).isEqualTo(": heartbeat");
      assertThat(stream.next().data()).isEqualTo(": heartbeat");
    }
  }

  @Test
  void stepsOfAFastRunAreSentTogether() throws Exception {
    StepLog log = StepLogs.ofSteps(1);
    serve(log, new StreamLimits(4, 20, 60_000, 3_600_000));
    try (EventStream stream = open("")) {
      assertThat(stream.steps(1)).containsExactly(0L);
      StepLogs.addSteps(log, 1, 2);
      assertThat(stream.steps(1)).containsExactly(1L);
      assertThat(stream.next().data()).isEqualTo(": heartbeat"); // so that look has ended

      StepLogs.addSteps(log, 2, 3); // less than an hour after the last look

      for (int i = 0; i < 3; i++) {
        assertThat(stream.next().data()).isEqualTo(": heartbeat");
      }
    }
  }

  @Test
  void clientsBeyondTheBoundAreRefusedUntilAPlaceIsFree() throws Exception {
    serve(StepLogs.ofSteps(1), new StreamLimits(2, 20, 60_000, 1));
    EventStream first = open("");
    try (first;
        EventStream second = open("")) {
      first.steps(1);
      second.steps(1);
      try (EventStream third = open("")) {
        assertThat(third.response().statusCode()).isEqualTo(503);
        assertThat(third.response().headers().firstValue("Retry-After")).contains("5");
        assertThat(new String(third.response().body().readAllBytes(), StandardCharsets.UTF_8))
            .isEqualTo("{\"reason\":\"all 2 places at the stream are taken\"}");
      }
      first.close();
      await().atMost(PATIENCE).until(this::clients, count -> count == 1);
      try (EventStream fourth = open("")) {
        assertThat(fourth.steps(1)).containsExactly(0L);
      }
    }
  }

  @Test
  void nothingIsKeptOfAClientThatDisconnects() throws Exception {
    serve(StepLogs.ofSteps(3), PATIENT);
    try (EventStream stream = open("")) {
      stream.steps(3);
      assertThat(clients()).isEqualTo(1);
    }

    await().atMost(PATIENCE).until(this::clients, count -> count == 0);
    assertThat(dropped()).isZero();
  }

  @Test
  void aClientThatTakesNothingIsDroppedAndDisturbsNoOther() throws Exception {
    int steps = 20_000; // more than the kernel buffers for a client that does not read
    serve(StepLogs.ofSteps(steps), new StreamLimits(4, 50, 300, 1));
    try (Socket deaf = new Socket()) {
      deaf.setReceiveBufferSize(4_096);
      deaf.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      deaf.getOutputStream()
          .write(
              "GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                  .getBytes(StandardCharsets.US_ASCII));
      try (EventStream other = open("")) {
        assertThat(other.steps(steps)).isEqualTo(range(0, steps));
        await().atMost(PATIENCE).until(this::dropped, count -> count == 1);
        assertThat(clients()).isEqualTo(1);
      }
      assertThat(readToTheEnd(deaf)).isLessThan(steps * 500L);
    }
  }

  @Test
  void streamAnswers400WithNameValueAndRuleWhenAParameterIsBad() throws Exception {
    serve(StepLogs.ofSteps(0), PATIENT);
    try (EventStream stream = open("?from=soon")) {
      JsonNode answer = new ObjectMapper().readTree(stream.response().body());

      assertThat(stream.response().statusCode()).isEqualTo(400);
      assertThat(answer.at("/parameter").asText()).isEqualTo("from");
      assertThat(answer.at("/value").asText()).isEqualTo("soon");
    }
  }

  @Test
  void theLogIsFreeOfTheServerOnceItIsClosed() throws Exception {
    StepLog log = StepLogs.ofSteps(1);
    serve(log, PATIENT);
    server.close();

    StepLogs.addSteps(log, 1, 2); // would be rejected by the closed event loop

    assertThat(log.newestStep()).isEqualTo(1);
  }

  private void serve(StepLog log, StreamLimits limits) {
    server =
        new MetricsServer(
            Fixture.OPEN, registry, Fixture.of(log), new Health(Map.of(), Map.of()), limits);
  }

  private EventStream open(String query, String... headers) throws Exception {
    return EventStream.open(server.port(), query, headers);
  }

  private double clients() {
    return registry.get("p3o.stream.clients").gauge().value();
  }

  private double dropped() {
    return registry.get("p3o.stream.dropped").counter().count();
  }

  /** Bytes until the other side has closed, in whatever way. */
  private static long readToTheEnd(Socket socket) {
    byte[] buffer = new byte[64 * 1024];
    long total = 0;
    try {
      for (int read = 0; read >= 0; read = socket.getInputStream().read(buffer)) {
        total += read;
      }
    } catch (IOException e) {
      return total; // reset
    }
    return total;
  }

  private static List<Long> range(long from, long end) {
    return LongStream.range(from, end).boxed().toList();
  }
}
