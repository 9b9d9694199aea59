package org.p3ostream.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every key there is takes a value other than its default and hands it on unchanged. */
class EveryKeyTest {

  /** Where any text or the next number would break a rule. */
  private static final Map<String, String> VALUES =
      Map.ofEntries(
          Map.entry("registry.url", "https://registry.example:8443/api"),
          Map.entry("model.device", "gpu:1"),
          Map.entry("prompts.reward", "numeric"),
          Map.entry("algorithm.clipLow", "0.3"),
          Map.entry("algorithm.clipHigh", "0.3"),
          Map.entry("algorithm.dualClip", "4.0"),
          Map.entry("algorithm.importanceCap", "3.0"),
          Map.entry("algorithm.dropZeroVariance", "true"),
          Map.entry("window.maxStaleness", "3"),
          Map.entry("run.topicPrefix", "other."),
          Map.entry("metrics.learnerPort", "9101"),
          Map.entry("metrics.producerPort", "0"),
          Map.entry("streams.token", "another-long-token"));

  /** What has to be set along with a key. */
  private static final Map<String, List<String>> COMPANIONS =
      Map.ofEntries(
          Map.entry("registry.username", List.of("registry.password=secret")),
          Map.entry("registry.password", List.of("registry.username=someone")),
          Map.entry("registry.trustStorePassword", List.of("registry.trustStorePath=trust.p12")),
          Map.entry("algorithm.clipLow", List.of("algorithm.name=grpo")),
          Map.entry("algorithm.clipHigh", List.of("algorithm.name=grpo")),
          Map.entry("algorithm.dualClip", List.of("algorithm.name=ppo")),
          Map.entry("algorithm.importanceCap", List.of("algorithm.name=tis")),
          Map.entry("streams.host", List.of("streams.token=a-token-of-some-length")),
          Map.entry("streams.tlsCertificatePath", List.of("streams.tlsKeyPath=key.pem")),
          Map.entry("streams.tlsKeyPath", List.of("streams.tlsCertificatePath=chain.pem")),
          Map.entry(
              "streams.tlsClientCaPath",
              List.of("streams.tlsCertificatePath=chain.pem", "streams.tlsKeyPath=key.pem")),
          Map.entry("producer.behaviorLogprob", List.of("ratio.behaviorLogprob=raw")),
          Map.entry("ratio.behaviorLogprob", List.of("producer.behaviorLogprob=raw")),
          Map.entry("producer.inFlightUpdates", List.of("dispatch.lockstep=false")));

  /** Of these every other value is refused, with the reason; see {@code ObjectiveGatesTest}. */
  private static final Set<String> ONE_VALUE =
      Set.of(
          "model.dropout", "algorithm.correction", "algorithm.critic", "algorithm.normalization");

  @TestFactory
  Stream<DynamicTest> loadHandsOnAnotherValue() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    for (RecordComponent section : P3oConfig.class.getRecordComponents()) {
      if (!section.getType().isRecord()) {
        continue;
      }
      for (RecordComponent key : section.getType().getRecordComponents()) {
        String path = section.getName() + "." + key.getName();
        if (key.getType() != Map.class
            && key.getType() != List.class
            && !ONE_VALUE.contains(path)) {
          tests.add(DynamicTest.dynamicTest(path, () -> handsOn(section, key, path)));
        }
      }
    }
    assertThat(tests).hasSizeGreaterThan(40);
    return tests.stream();
  }

  private static void handsOn(RecordComponent section, RecordComponent key, String path)
      throws Exception {
    @Nullable Object standard = read(P3oConfig.defaults(), section, key);
    String other = VALUES.containsKey(path) ? VALUES.get(path) : another(key.getType(), standard);
    List<String> overrides = new ArrayList<>(List.of(path + "=" + other));
    overrides.addAll(COMPANIONS.getOrDefault(path, List.of()));
    @Nullable Object loaded = read(ConfigLoader.load(null, overrides), section, key);
    assertThat(loaded).isNotEqualTo(standard);
    assertThat(text(loaded)).isEqualTo(other);
  }

  private static @Nullable Object read(
      P3oConfig config, RecordComponent section, RecordComponent key) throws Exception {
    return key.getAccessor().invoke(section.getAccessor().invoke(config));
  }

  private static String another(Class<?> type, @Nullable Object standard) {
    if (type == boolean.class) {
      return Boolean.toString(!(boolean) standard);
    }
    if (type == double.class) {
      double half = (double) standard == 0 ? 0.5 : (double) standard / 2;
      return Double.toString(half);
    }
    if (type == List.class) {
      return "[\"other\",\"[1]\"]";
    }
    if (type == Duration.class) {
      return text(((Duration) standard).plusMillis(1));
    }
    if (type.isEnum()) {
      return Arrays.stream(type.getEnumConstants())
          .filter(constant -> constant != standard)
          .findFirst()
          .orElseThrow()
          .toString();
    }
    return type == String.class ? "other" : Long.toString(((Number) standard).longValue() + 1);
  }

  private static String text(@Nullable Object value) {
    if (value instanceof List<?> texts) {
      return texts.stream().map(t -> '"' + t.toString() + '"').toList().toString().replace(" ", "");
    }
    return value instanceof Duration duration
        ? DurationFormat.format(duration)
        : String.valueOf(value);
  }
}
