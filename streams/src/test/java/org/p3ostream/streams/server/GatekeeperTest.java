package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.live.StepLogs;

class GatekeeperTest {
  private static final String TOKEN = "a-token-of-some-length";
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private MetricsServer server;

  @AfterEach
  void close() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "127.0.0.1:8089", "[::1]:1", "LOCALHOST:80", "127.9.9.9"})
  void loopbackAnswersUnderEveryNameOfThisHost(String host) throws Exception {
    serve(Fixture.OPEN);

    assertThat(statusUnderName(host, "/api/runs")).isEqualTo(200);
  }

  @Test
  void loopbackAnswersAProbeThatNamesNoHost() throws Exception {
    serve(Fixture.OPEN);

    assertThat(status("GET /health/live HTTP/1.0\r\n\r\n")).isEqualTo(204); // no checks here
  }

  @Test
  void pagesFromElsewhereMayLeadHereAndAskNothing() throws Exception {
    serve(Fixture.OPEN);
    String elsewhere = "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n";
    String asked = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n";
    String followed = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n";
    String own = "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n";

    assertThat(status(elsewhere.formatted("/api/steps?points=5000", asked))).isEqualTo(403);
    assertThat(status(elsewhere.formatted("/", followed))).isEqualTo(200);
    assertThat(status(elsewhere.formatted("/api/runs", own))).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "127.0.0.1.evil.example:80",
        "localhost.evil.example",
        "evil_one.example"
      })
  void loopbackTurnsAwayWhoCallsItByAnotherName(String host) throws Exception {
    serve(Fixture.OPEN);

    assertThat(statusUnderName(host, "/api/runs")).isEqualTo(403);
    assertThat(statusUnderName(host, "/")).isEqualTo(403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/metrics",
        "/api/runs",
        "/api/steps",
        "/api/stream",
        "/api/alerts",
        "/api/groups",
        "/api/groups/0",
        "/api/snapshots",
        "/api/openapi.json",
        "/nowhere",
        "//api/runs",
        "/health/../api/runs",
        "/assets/../api/runs",
        "/health/%2e%2e/api/runs",
        "/nowhere/at/all"
      })
  void everythingThatSaysSomethingAsksForTheToken(String path) throws Exception {
    serve(Fixture.withToken(TOKEN));

    assertThat(statusUnderName("localhost", path)).isEqualTo(401);
    assertThat(get(path, "Authorization", "Bearer " + TOKEN + "x").statusCode()).isEqualTo(401);
    String name = cookie(signIn(TOKEN)).split("=", 2)[0];
    assertThat(get(path, "Cookie", name + "=" + TOKEN).statusCode()).isEqualTo(401);
  }

  @Test
  void theTokenAsABearerOpensTheApiAndTheMetrics() throws Exception {
    serve(Fixture.withToken(TOKEN));

    assertThat(get("/api/runs", "Authorization", "Bearer " + TOKEN).statusCode()).isEqualTo(200);
    assertThat(get("/metrics", "Authorization", "bearer " + TOKEN).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/health/live", "/health/ready", "/assets/plots.css", "/sign-in"})
  void probesAndStaticFilesNeedNoToken(String path) throws Exception {
    serve(Fixture.withToken(TOKEN));

    assertThat(get(path, "Accept", "*/*").statusCode()).isBetween(200, 204);
  }

  @Test
  void theTokenIsExchangedForACookieThatScriptsCannotReadAndThatIsNotTheToken() throws Exception {
    serve(Fixture.withToken(TOKEN));

    HttpResponse<String> typed = get("/?token=" + TOKEN, "Accept", "text/html");
    HttpResponse<String> posted = signIn(TOKEN);

    for (HttpResponse<String> answer : java.util.List.of(typed, posted)) {
      assertThat(answer.statusCode()).isEqualTo(303);
      assertThat(answer.headers().firstValue("Location")).contains("/");
      String cookie = cookie(answer);
      assertThat(cookie)
          .containsIgnoringCase("HttpOnly")
          .contains("SameSite=Lax", "Path=/")
          .doesNotContain(TOKEN);
      String session = cookie.substring(0, cookie.indexOf(';'));
      assertThat(get("/api/runs", "Cookie", session).statusCode()).isEqualTo(200);
      assertThat(get("/", "Cookie", session).body()).doesNotContain(TOKEN);
    }
  }

  /** A browser sends the cookies of a host to all of its ports. */
  @Test
  void serversWithDifferentTokensOnOneHostDoNotSignEachOthersVisitorsOut() throws Exception {
    String other = TOKEN.toUpperCase(Locale.ROOT) + "-2";
    serve(Fixture.withToken(other));
    String ofOther = cookie(signIn(other)).split(";", 2)[0];
    server.close();
    serve(Fixture.withToken(TOKEN));
    String own = cookie(signIn(TOKEN)).split(";", 2)[0];

    assertThat(own.split("=", 2)[0]).isNotEqualTo(ofOther.split("=", 2)[0]);
    assertThat(get("/api/runs", "Cookie", ofOther + "; " + own).statusCode()).isEqualTo(200);
    assertThat(get("/api/runs", "Cookie", ofOther).statusCode()).isEqualTo(401);
  }

  private static String cookie(HttpResponse<String> answer) {
    return answer.headers().firstValue("Set-Cookie").orElseThrow();
  }

  @Test
  void aWrongTokenIsAskedForAgain() throws Exception {
    serve(Fixture.withToken(TOKEN));

    HttpResponse<String> wrong = signIn("wrong-wrong-wrong-wrong");
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(wrong.body()).contains("role=\"alert\">That is not the token.");
    assertThat(get("/", "Accept", "text/html").body()).contains("role=\"alert\" hidden>");
    assertThat(signIn("").statusCode()).isEqualTo(401);
    HttpResponse<String> page = get("/?token=wrong", "Accept", "text/html");
    assertThat(page.statusCode()).isEqualTo(401);
    assertThat(page.body()).contains("streams.token");
    assertThat(page.headers().firstValue("Set-Cookie")).isEmpty();
  }

  private void serve(StreamsConfig config) {
    server =
        new MetricsServer(
            config,
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            Fixture.of(StepLogs.ofSteps(3)),
            new Health(Map.of(), Map.of()));
  }

  private HttpResponse<String> get(String path, String header, String value) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(uri(path)).header(header, value).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private HttpResponse<String> signIn(String token) throws Exception {
    return CLIENT.send(
        HttpRequest.newBuilder(uri("/sign-in"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString("token=" + token))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.port() + path);
  }

  private int statusUnderName(String host, String path) throws IOException {
    return status("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  }

  /** By hand: Java's client writes the Host header itself. */
  private int status(String request) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
      return Integer.parseInt(answer.substring(9));
    }
  }
}
