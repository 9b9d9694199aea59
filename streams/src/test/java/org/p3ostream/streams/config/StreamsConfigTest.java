package org.p3ostream.streams.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class StreamsConfigTest {

  @Test
  void applicationIdFollowsTheTopicPrefixWhenNoneIsConfigured() {
    assertThat(StreamsSettings.defaults().applicationId()).isEqualTo("p3o.metrics-v2");
    assertThat(StreamsSettings.defaults().hasOwnApplicationId()).isFalse();
    assertThat(
            new StreamsSettings("r", "p3o.", new StreamsConfig("::1", 0, "s", "mine", 1, 1))
                .hasOwnApplicationId())
        .isTrue();
  }

  @Test
  void applicationIdIsTheConfiguredOneWhenThereIsOne() {
    StreamsConfig config = new StreamsConfig("127.0.0.1", 0, "state", "mine", 3, 5);

    assertThat(new StreamsSettings("run", "p3o.", config).applicationId()).isEqualTo("mine");
  }

  static Stream<Arguments> constructorThrowsNamingKeyValueAndRule() {
    return Stream.of(
        broken(() -> new StreamsConfig(" ", 0, "s", null, 1, 1), "streams.host", " ", "blank"),
        broken(() -> new StreamsConfig("::1", -1, "s", null, 1, 1), "streams.port", "-1", "65535"),
        broken(
            () -> new StreamsConfig("::1", 65536, "s", null, 1, 1), "streams.port", "65536", "["),
        broken(
            () -> new StreamsConfig("::1", 0, "", null, 1, 1), "streams.stateDirectory", "", "b"),
        broken(
            () -> new StreamsConfig("::1", 0, "s", "a/b", 1, 1),
            "streams.applicationId",
            "a/b",
            "d"),
        broken(
            () -> new StreamsConfig("::1", 0, "s", null, 0, 1),
            "streams.replicationFactor",
            "0",
            "["),
        broken(
            () -> new StreamsConfig("::1", 0, "s", null, 1, 0),
            "streams.clientTimeoutSeconds",
            "0",
            ">= 1"),
        broken(
            () -> new StreamsConfig("0.0.0.0", 0, "s", null, 1, 1),
            "streams.host",
            "0.0.0.0",
            "is not a loopback address: set streams.token, or streams.tlsClientCaPath"),
        broken(
            () -> new StreamsConfig("::1", 0, "s", null, 1, 1, "short", null, null, null),
            "streams.token",
            "(5 characters)",
            "at least 16"),
        broken(
            () -> new StreamsConfig("::1", 0, "s", null, 1, 1, null, "cert.pem", null, null),
            "streams.tlsKeyPath",
            "",
            "belong together"),
        broken(
            () -> new StreamsConfig("::1", 0, "s", null, 1, 1, null, null, null, "ca.pem"),
            "streams.tlsClientCaPath",
            "ca.pem",
            "requires streams.tlsCertificatePath"),
        broken(
            () -> new StreamsConfig("h", 0, "s", null, 1, 1, null, "c.pem", "k.pem", null),
            "streams.host",
            "h",
            "is not a loopback address"),
        broken(
            () -> new StreamsSettings("", "p3o.", StreamsConfig.defaults()), "run.id", "", "blank"),
        broken(
            () -> new StreamsSettings("r", "a/b", StreamsConfig.defaults()),
            "run.topicPrefix",
            "a/b",
            "only"));
  }

  @Test
  void anyAddressMayBeBoundWithATokenOrClientCertificates() {
    String token = "0123456789abcdef";

    assertThat(new StreamsConfig("0.0.0.0", 0, "s", null, 1, 1, token, null, null, null))
        .hasToString("StreamsConfig[0.0.0.0:0]")
        .extracting(StreamsConfig::token)
        .isEqualTo(token);
    assertThat(new StreamsConfig("h", 0, "s", null, 1, 1, null, "c", "k", "ca").tlsClientCaPath())
        .isEqualTo("ca");
  }

  @ParameterizedTest
  @MethodSource
  void constructorThrowsNamingKeyValueAndRule(
      Supplier<?> constructor, String key, String value, String rule) {
    assertThatThrownBy(constructor::get)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(key)
        .hasMessageContaining("'" + value + "'")
        .hasMessageContaining(rule);
  }

  private static Arguments broken(Supplier<?> constructor, String key, String value, String rule) {
    return Arguments.of(constructor, key, value, rule);
  }
}
