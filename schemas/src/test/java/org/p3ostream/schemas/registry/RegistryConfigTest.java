package org.p3ostream.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryConfigTest {

  private static final RegistryConfig FULL =
      new RegistryConfig(
          "https://one:8081/apis/ccompat/v7,https://two",
          "ann",
          "se:cret",
          Duration.ofMillis(300),
          Duration.ofMillis(400),
          7,
          "trust.p12",
          "changeit");

  @Test
  void settingsHaveTheKeysOfConfluentsClients() {
    assertThat(FULL.settings())
        .containsEntry("schema.registry.url", FULL.url())
        .containsEntry("basic.auth.credentials.source", "USER_INFO")
        .containsEntry("basic.auth.user.info", "ann:se:cret")
        .containsEntry("schema.registry.ssl.truststore.location", "trust.p12")
        .containsEntry("schema.registry.ssl.truststore.password", "changeit");
  }

  @Test
  void parseGivesBackWhatSettingsSay() {
    for (RegistryConfig config : List.of(FULL, RegistryConfig.defaults())) {
      assertThat(RegistrySettings.parse(config.settings())).isEqualTo(config);
    }
  }

  @Test
  void parseReadsValuesThatKafkaHasParsedBefore() {
    RegistryConfig config =
        RegistrySettings.parse(
            Map.of(
                "schema.registry.url",
                List.of("http://one", "http://two"),
                "basic.auth.credentials.source",
                "USER_INFO",
                "schema.registry.basic.auth.user.info",
                new Password("ann:secret"),
                "max.retries",
                9));

    assertThat(config.url()).isEqualTo("http://one,http://two");
    assertThat(config.password()).isEqualTo("secret");
    assertThat(config.retries()).isEqualTo(9);
  }

  @Test
  void parseTellsTheKeyWhenASettingIsWrong() {
    assertRefused(Map.of(), "schema.registry.url");
    assertRefused(Map.of("schema.registry.url", "ftp://x"), "ftp://x");
    assertRefused(Map.of("schema.registry.url", "http://x", "max.retries", "many"), "max.retries");
    assertRefused(
        Map.of("schema.registry.url", "http://x", "basic.auth.credentials.source", "SASL_INHERIT"),
        "basic.auth.credentials.source");
    assertRefused(
        Map.of(
            "schema.registry.url",
            "http://x",
            "basic.auth.credentials.source",
            "USER_INFO",
            "basic.auth.user.info",
            "secretWithoutUser"),
        "basic.auth.user.info");
  }

  @Test
  void checkSubjectStrategyRefusesAllButRecordNameStrategy() {
    String key = "value.subject.name.strategy";
    String prefix = "io.confluent.kafka.serializers.subject.";
    RegistrySettings.checkSubjectStrategy(Map.of());
    RegistrySettings.checkSubjectStrategy(Map.of(key, prefix + "RecordNameStrategy"));

    for (String other : List.of("TopicNameStrategy", "TopicRecordNameStrategy")) {
      assertThatThrownBy(() -> RegistrySettings.checkSubjectStrategy(Map.of(key, prefix + other)))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining(key)
          .hasMessageContaining(other);
    }
  }

  @Test
  void baseUrlsAreSplitAndLoseTheirTrailingSlash() {
    assertThat(withUrl("http://a/ , https://b/x//").baseUrls())
        .containsExactly("http://a", "https://b/x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "registry:8081", "ftp://a", "http://", "http://a,", "http://a?b", "a b"})
  void constructorNamesTheKeyWhenTheUrlIsWrong(String url) {
    assertThatThrownBy(() -> withUrl(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("registry.url")
        .hasMessageContaining("http");
  }

  @Test
  void constructorDoesNotRepeatCredentialsInsideAUrl() {
    assertThatThrownBy(() -> withUrl("http://ann:secret@a"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("registry.url")
        .hasMessageContaining("registry.username")
        .hasMessageNotContaining("secret");
  }

  @Test
  void constructorNamesKeyAndValueWhenARuleIsBroken() {
    Duration second = Duration.ofSeconds(1);
    assertWrong("registry.username", "ann", "ann", null, second, second, 0, null, null);
    assertWrong("registry.username", "null", null, "secret", second, second, 0, null, null);
    assertWrong("registry.username", "a:b", "a:b", "secret", second, second, 0, null, null);
    assertWrong(
        "registry.connectTimeout", "PT0S", null, null, Duration.ZERO, second, 0, null, null);
    assertWrong(
        "registry.requestTimeout", "PT-1S", null, null, second, second.negated(), 0, null, null);
    assertWrong("registry.retries", "-1", null, null, second, second, -1, null, null);
    assertWrong("registry.trustStorePath", "null", null, null, second, second, 0, null, "pw");
  }

  @Test
  void toStringHidesThePasswords() {
    assertThat(FULL.toString())
        .contains("ann", "trust.p12", "retries=7")
        .doesNotContain("se:cret", "changeit");
    assertThat(RegistryConfig.defaults().toString()).contains("password=null");
  }

  private static void assertRefused(Map<String, ?> settings, String named) {
    assertThatThrownBy(() -> RegistrySettings.parse(settings))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(named)
        .hasMessageNotContaining("secretWithoutUser");
  }

  private static void assertWrong(
      String key,
      String value,
      String username,
      String password,
      Duration connectTimeout,
      Duration requestTimeout,
      int retries,
      String trustStorePath,
      String trustStorePassword) {
    assertThatThrownBy(
            () ->
                new RegistryConfig(
                    "http://a",
                    username,
                    password,
                    connectTimeout,
                    requestTimeout,
                    retries,
                    trustStorePath,
                    trustStorePassword))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(key + ": '" + value + "'")
        .hasMessageNotContaining("secret");
  }

  private static RegistryConfig withUrl(String url) {
    RegistryConfig defaults = RegistryConfig.defaults();
    return new RegistryConfig(
        url,
        null,
        null,
        defaults.connectTimeout(),
        defaults.requestTimeout(),
        defaults.retries(),
        null,
        null);
  }
}
