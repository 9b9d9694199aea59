package org.p3ostream.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.learner.config.Algorithm;

class ConfigPrinterTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "kafka.sasl.jaas.config",
        "kafka.ssl.key.password",
        "kafka.ssl.keystore.key",
        "kafka.ssl.truststore.password",
        "kafka.sasl.oauthbearer.client.credentials.client.secret",
        "kafka.my.interceptor.api.key",
        "serde.settings.basic.auth.user.info",
        "serde.settings.bearer.auth.token",
        "registry.password",
      })
  void toYamlMasksSecrets(String path) {
    P3oConfig config =
        ConfigLoader.load(
            null,
            List.of(
                path + "=hunter2",
                "registry.username=someone",
                path.equals("registry.password") ? "run.id=x" : "registry.password=hunter2"));
    assertThat(ConfigPrinter.toYaml(config)).doesNotContain("hunter2").contains("********");
  }

  @Test
  void toYamlMasksCredentialsInAnAddress() {
    P3oConfig config =
        ConfigLoader.load(null, List.of("kafka.some.url=http://me:hunter2@host/path"));
    assertThat(ConfigPrinter.toYaml(config))
        .doesNotContain("hunter2")
        .contains("http://********@host/path");
  }

  @Test
  void toYamlLeavesTokenCountsAlone() {
    assertThat(ConfigPrinter.toYaml(P3oConfig.defaults()))
        .contains("microBatchTokens: 4096")
        .contains("maxResponseTokens: 16");
  }

  @Test
  void toYamlIsReadBackAsTheSame(@TempDir Path directory) throws Exception {
    P3oConfig config =
        ConfigLoader.load(
            null,
            List.of(
                "registry.connectTimeout=1500ms",
                "kafka.client.rack=010",
                "run.id=42",
                "run.topicPrefix=1e3",
                "sampling.stopStrings=[\"\\n\\n\", \" \", \"#\", \"- 1\", \"44\", \"1e3\", \"0x1f\", \"007\", \".5\", \"-1\", \"1_0\", \"~\", \"no\", \"2026-01-01\", \"12:30\", \".nan\", \"true\", \"\\\"\", \"é\"]"));
    Path file = Files.writeString(directory.resolve("p3o.yaml"), ConfigPrinter.toYaml(config));
    assertThat(ConfigLoader.load(file, List.of())).isEqualTo(config);
  }

  @Test
  void toYamlOfListsIsReadBackAsTheSameAndMasksSecretsInThem(@TempDir Path directory)
      throws Exception {
    P3oConfig config =
        ConfigLoader.load(
            null,
            List.of(
                "prompts.datasets=[{name: a, file: http://me:hunter2@host/a, weight: 2.5},"
                    + " {name: '7', file: b, reward: regex}]"));
    String yaml = ConfigPrinter.toYaml(config);
    assertThat(yaml).contains("http://********@host/a").doesNotContain("hunter2", "null");
    Path file =
        Files.writeString(directory.resolve("p3o.yaml"), yaml.replace("********", "me:hunter2"));
    assertThat(ConfigLoader.load(file, List.of())).isEqualTo(config);
  }

  /** What a role prints when it starts: every value in force, none that the objective lacks. */
  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void resolvedConfigurationIsReadBackAsItWas(Algorithm algorithm, @TempDir Path directory)
      throws Exception {
    P3oConfig resolved =
        ConfigLoader.load(null, List.of("algorithm.name=" + algorithm.id())).resolved();
    String yaml = ConfigPrinter.toYaml(resolved);
    assertThat(yaml.contains("klMode: EXACT")).isEqualTo(algorithm == Algorithm.P3O);
    Path file = Files.writeString(directory.resolve("resolved.yaml"), yaml);
    assertThat(ConfigLoader.load(file, List.of())).isEqualTo(resolved);
  }
}
