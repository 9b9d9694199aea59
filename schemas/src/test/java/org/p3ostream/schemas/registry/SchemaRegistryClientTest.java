package org.p3ostream.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.registry.RegistryServer.Stall;
import org.p3ostream.schemas.serde.RegistryRefusedException;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.p3ostream.schemas.serde.UnreadableSchemaException;

class SchemaRegistryClientTest {

  private static final Schema SCHEMA = MetricPoint.getClassSchema();
  private static final String SUBJECT = SCHEMA.getFullName();

  private final List<Long> pauses = new ArrayList<>();
  private RegistryServer server;

  @BeforeEach
  void startServer() throws IOException {
    server = new RegistryServer();
  }

  @AfterEach
  void stopServer() {
    server.close();
  }

  @Test
  void registerSendsTheSchemaWithoutJavaProperties() {
    int id = client().register(SUBJECT, SCHEMA);

    assertThat(SCHEMA.toString()).contains("avro.java.string");
    assertThat(server.schemaText(id))
        .doesNotContain("avro.java.string")
        .contains("\"doc\":\"Run the value belongs to.\"");
  }

  @Test
  void registerGivesOneIdWhenTheSameSchemaWasParsedFromTheRegistry() {
    int id = client().register(SUBJECT, SCHEMA);

    assertThat(client().register(SUBJECT, client().schemaById(id))).isEqualTo(id);
  }

  @Test
  void registerAsksOnceWhenCalledAgain() {
    SchemaRegistryClient client = client();

    assertThat(client.register(SUBJECT, SCHEMA)).isEqualTo(client.register(SUBJECT, SCHEMA));
    assertThat(server.requests()).containsExactly("POST /subjects/" + SUBJECT + "/versions");
  }

  @Test
  void registerAsksForEverySubject() {
    SchemaRegistryClient client = client();

    assertThat(client.register("one", SCHEMA)).isEqualTo(client.register("two", SCHEMA));
    assertThat(server.requests()).hasSize(2);
    assertThat(client.subjects()).containsExactlyInAnyOrder("one", "two");
  }

  @Test
  void registerEncodesTheSubjectInThePath() {
    client().register("a b/c", SCHEMA);

    assertThat(server.requests()).containsExactly("POST /subjects/a%20b%2Fc/versions");
    assertThat(client().subjects()).containsExactly("a b/c");
  }

  @Test
  void schemaByIdAsksOnceWhenCalledAgain() {
    int id = server.add(SUBJECT, "AVRO", "\"long\"");
    SchemaRegistryClient client = client();

    assertThat(client.schemaById(id)).isEqualTo(Schema.create(Schema.Type.LONG));
    assertThat(client.schemaById(id)).isSameAs(client.schemaById(id));
    assertThat(server.requests()).containsExactly("GET /schemas/ids/" + id);
  }

  @Test
  void schemaByIdIsRefusedWithoutRetryWhenTheIdIsUnknown() {
    assertThatThrownBy(() -> client().schemaById(7))
        .isInstanceOfSatisfying(
            RegistryRefusedException.class,
            e -> {
              assertThat(e.status()).isEqualTo(404);
              assertThat(e.errorCode()).isEqualTo(RegistryRefusedException.SCHEMA_ID_NOT_FOUND);
            })
        .hasMessageContaining("/schemas/ids/7");
    assertThat(server.requests()).hasSize(1);
  }

  @Test
  void schemaByIdAsksAgainAfterAFailure() {
    SchemaRegistryClient client = client();
    assertThatThrownBy(() -> client.schemaById(1)).isInstanceOf(RegistryRefusedException.class);
    int id = server.add(SUBJECT, "AVRO", "\"long\"");

    assertThat(id).isEqualTo(1);
    assertThat(client.schemaById(1)).isNotNull();
  }

  @Test
  void schemaByIdIsUnreadableWhenTheSchemaIsNotAvro() {
    int proto = server.add("p", "PROTOBUF", "message A {}");
    int broken = server.add("b", "AVRO", "{\"type\":\"record\"}");

    assertThatThrownBy(() -> client().schemaById(proto))
        .isInstanceOf(UnreadableSchemaException.class)
        .hasMessageContaining("PROTOBUF");
    assertThatThrownBy(() -> client().schemaById(broken))
        .isInstanceOf(UnreadableSchemaException.class);
  }

  @Test
  void lookUpFindsSubjectVersionAndId() {
    server.add(SUBJECT, "AVRO", "\"long\"");
    int id = client().register(SUBJECT, SCHEMA);

    assertThat(client().lookUp(SUBJECT, SCHEMA)).contains(new RegisteredSchema(SUBJECT, 2, id));
  }

  @Test
  void lookUpIsEmptyWhenSubjectOrSchemaIsUnknown() {
    assertThat(client().lookUp(SUBJECT, SCHEMA)).isEmpty();
    server.add(SUBJECT, "AVRO", "\"long\"");
    assertThat(client().lookUp(SUBJECT, SCHEMA)).isEmpty();
  }

  @Test
  void lookUpIsRefusedWhenTheAddressIsWrong() {
    server.failNext(2, 404, "<html>not here</html>");
    assertThatThrownBy(() -> client().lookUp(SUBJECT, SCHEMA))
        .isInstanceOf(RegistryRefusedException.class)
        .hasMessageContaining("not here");
    assertThatThrownBy(() -> client().compatibility(SUBJECT))
        .isInstanceOf(RegistryRefusedException.class);
  }

  @Test
  void ensureCompatibilitySetsReadsBackAndAsksOnce() {
    SchemaRegistryClient client = client();

    client.ensureCompatibility(SUBJECT, CompatibilityLevel.BACKWARD_TRANSITIVE);
    client.ensureCompatibility(SUBJECT, CompatibilityLevel.BACKWARD_TRANSITIVE);

    String path = "/config/" + SUBJECT;
    assertThat(server.requests()).containsExactly("GET " + path, "PUT " + path, "GET " + path);
    assertThat(client.compatibility(SUBJECT)).contains(CompatibilityLevel.BACKWARD_TRANSITIVE);
  }

  @Test
  void ensureCompatibilitySetsNothingWhenTheLevelIsThere() {
    client().setCompatibility(SUBJECT, CompatibilityLevel.FULL);

    client().ensureCompatibility(SUBJECT, CompatibilityLevel.FULL);

    String path = "/config/" + SUBJECT;
    assertThat(server.requests()).containsExactly("PUT " + path, "GET " + path);
  }

  @Test
  void ensureCompatibilityTakesTheLevelThatAnotherClientSetMeanwhile() {
    server.letAnotherClientBeFirst();

    client().ensureCompatibility(SUBJECT, CompatibilityLevel.FULL);

    assertThat(server.level(SUBJECT)).isEqualTo("FULL");
  }

  @Test
  void ensureCompatibilityFailsWhenTheRegistryReportsAnotherLevel() {
    server.reportLevel("NONE");

    assertThatThrownBy(
            () -> client().ensureCompatibility(SUBJECT, CompatibilityLevel.BACKWARD_TRANSITIVE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(SUBJECT)
        .hasMessageContaining("NONE");
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 500, 503})
  void requestIsRepeatedWithGrowingPausesWhenTheAnswerMayPass(int status) {
    server.failNext(3, status, "");

    client(config(3)).register(SUBJECT, SCHEMA);

    assertThat(server.requests()).hasSize(4);
    assertThat(pauses).containsExactly(100L, 200L, 400L);
  }

  @Test
  void pausesStopGrowingAtFiveSeconds() {
    server.failNext(9, 503, "");

    client(config(9)).subjects();

    assertThat(pauses.subList(5, 9)).containsExactly(3200L, 5000L, 5000L, 5000L);
  }

  @Test
  void requestIsUnavailableWhenAllAttemptsFail() {
    server.failNext(3, 503, "");

    assertThatThrownBy(() -> client(config(2)).subjects())
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("GET " + server.url() + "/subjects")
        .hasMessageContaining("503");
    assertThat(server.requests()).hasSize(3);
  }

  @Test
  void requestIsUnavailableWhenNobodyListens() throws IOException {
    String url = "http://127.0.0.1:" + unusedPort();

    assertThatThrownBy(() -> client(withUrl(url)).subjects())
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining(url);
    assertThat(pauses).hasSize(1);
  }

  @Test
  void requestGoesToTheNextAddressWhenOneIsDown() throws IOException {
    String down = "http://127.0.0.1:" + unusedPort();

    assertThat(client(withUrl(down + "," + server.url() + "/")).subjects()).isEmpty();
    assertThat(server.requests()).containsExactly("GET /subjects");
  }

  @ParameterizedTest
  @EnumSource(names = {"BEFORE_HEADERS", "INSIDE_BODY"})
  void requestIsUnavailableWhenTheAnswerStalls(Stall where) {
    server.stall(where);
    RegistryConfig hasty =
        new RegistryConfig(
            server.url(), null, null, Duration.ofSeconds(5), Duration.ofMillis(300), 0, null, null);

    assertThatThrownBy(() -> client(hasty).subjects())
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("300 ms");
  }

  @Test
  void requestIsUnavailableAndThreadStaysInterruptedWhenInterrupted() {
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> client().subjects())
          .isInstanceOf(RegistryUnavailableException.class)
          .hasMessageContaining("interrupted");
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void requestCarriesTheCredentials() {
    server.requireUser("ann", "se:crét");

    assertThat(client(withUser("ann", "se:crét")).subjects()).isEmpty();
  }

  @Test
  void requestIsRefusedWithoutRetryWhenTheCredentialsAreWrong() {
    server.requireUser("ann", "secret");

    for (RegistryConfig wrong : List.of(withUser("ann", "guess"), server.config())) {
      assertThatThrownBy(() -> client(wrong).subjects())
          .isInstanceOfSatisfying(
              RegistryRefusedException.class, e -> assertThat(e.status()).isEqualTo(401))
          .hasMessageNotContaining("guess");
    }
    assertThat(server.requests()).hasSize(2);
  }

  @Test
  void answerIsRefusedWhenItIsNotTheExpectedJson() {
    server.failNext(1, 200, "<html>log in</html>");
    assertThatThrownBy(() -> client().register(SUBJECT, SCHEMA))
        .isInstanceOf(RegistryRefusedException.class)
        .hasMessageContaining("log in");

    server.failNext(1, 200, "{}");
    assertThatThrownBy(() -> client().register(SUBJECT, SCHEMA))
        .isInstanceOf(RegistryRefusedException.class)
        .hasMessageContaining("'id'");
  }

  private SchemaRegistryClient client() {
    return client(server.config());
  }

  private SchemaRegistryClient client(RegistryConfig config) {
    return new SchemaRegistryClient(new RegistryHttp(config, pauses::add));
  }

  private RegistryConfig config(int retries) {
    return new RegistryConfig(
        server.url(),
        null,
        null,
        Duration.ofSeconds(5),
        Duration.ofSeconds(20),
        retries,
        null,
        null);
  }

  private static RegistryConfig withUrl(String url) {
    return new RegistryConfig(
        url, null, null, Duration.ofSeconds(5), Duration.ofSeconds(20), 1, null, null);
  }

  private RegistryConfig withUser(String username, String password) {
    return new RegistryConfig(
        server.url(),
        username,
        password,
        Duration.ofSeconds(5),
        Duration.ofSeconds(20),
        1,
        null,
        null);
  }

  private static int unusedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
