package org.p3ostream.rolloutproducer.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.RecordedLogprob;

class ProducerSettingsTest {

  private static ProducerSettings settings(ProducerConfig producer) {
    return new ProducerSettings("run-a", "a.", Path.of("model"), "cpu", 1, producer);
  }

  private static ProducerConfig config(String id, String transactionalId) {
    return new ProducerConfig(
        id,
        transactionalId,
        3,
        WeightPrecision.FLOAT32,
        RecordedLogprob.SAMPLING,
        List.of(),
        false,
        2,
        5,
        6,
        7,
        11);
  }

  @Test
  void transactionalIdIsDerivedFromPrefixAndIdWhenItIsEmpty() {
    assertThat(settings(config("b", "")).transactionalId()).isEqualTo("a.producer-b");
  }

  @Test
  void transactionalIdIsTakenAsItIsWhenItIsGiven() {
    assertThat(settings(config("b", "mine")).transactionalId()).isEqualTo("mine");
  }

  @Test
  void groupIdBelongsToTheTopicPrefixAndTheRun() {
    assertThat(settings(ProducerConfig.defaults()).groupId()).isEqualTo("a.producers.run-a");
  }

  @Test
  void variantsCountVersionsBackAndThenDownToTheirInterval() {
    VariantConfig variant = new VariantConfig(1, 3, 4, null, null);
    assertThat(variant.version(13)).isEqualTo(8);
    assertThat(variant.version(11)).isEqualTo(8);
    assertThat(variant.version(10)).isEqualTo(4);
    assertThat(variant.version(2)).isZero();
    assertThat(variant.reach()).isEqualTo(6);
    assertThat(ProducerConfigs.mixed(new VariantConfig(3, 1, 1, null, null), variant))
        .satisfies(
            config -> {
              assertThat(config.reach()).isEqualTo(6);
              assertThat(config.mixedResponses()).isEqualTo(4);
            });
    assertThat(ProducerConfig.defaults().reach()).isZero();
  }

  @Test
  void constructorRefusesVariantsThatWouldChangeInFlight() {
    assertThatThrownBy(
            () ->
                new ProducerConfig(
                    "b",
                    "",
                    3,
                    WeightPrecision.FLOAT32,
                    RecordedLogprob.SAMPLING,
                    List.of(new VariantConfig(1, 0, 1, null, null)),
                    true,
                    2,
                    5,
                    6,
                    7,
                    11))
        .hasMessageStartingWith(
            "producer.inFlightUpdates: true cannot stand beside producer.mixture");
  }

  @Test
  void constructorNamesTheVariantWhoseValueIsWrong() {
    VariantConfig good = new VariantConfig(1, 0, 1, null, null);
    assertThatThrownBy(() -> ProducerConfigs.mixed(good, VariantConfig.defaults()))
        .hasMessage("producer.mixture[1].responses: 0 must be >= 1");
    assertThatThrownBy(() -> ProducerConfigs.mixed(new VariantConfig(1, -1, 1, null, null)))
        .hasMessage("producer.mixture[0].versionsBack: -1 must be >= 0");
    assertThatThrownBy(() -> ProducerConfigs.mixed(new VariantConfig(1, 0, 0, null, null)))
        .hasMessage("producer.mixture[0].syncInterval: 0 must be >= 1");
    for (double temperature : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY}) {
      assertThatThrownBy(() -> ProducerConfigs.mixed(new VariantConfig(1, 0, 1, temperature, null)))
          .hasMessage(
              "producer.mixture[0].temperature: " + temperature + " must be finite and > 0");
    }
  }

  @Test
  void constructorNamesKeyValueAndRuleWhenAValueIsWrong() {
    assertThatThrownBy(() -> config("a b", ""))
        .hasMessage("producer.id: 'a b' must be 1 to 100 letters, digits, '.', '_' or '-'");
    assertThatThrownBy(() -> config("b", " "))
        .hasMessage("producer.transactionalId: ' ' must not be blank");
    assertThatThrownBy(
            () ->
                new ProducerConfig(
                    "b",
                    "",
                    0,
                    WeightPrecision.FLOAT32,
                    RecordedLogprob.SAMPLING,
                    List.of(),
                    false,
                    2,
                    5,
                    6,
                    7,
                    11))
        .hasMessage("producer.maxPollPrompts: 0 must be >= 1");
    assertThatThrownBy(
            () ->
                new ProducerConfig(
                    "b",
                    "",
                    3,
                    WeightPrecision.FLOAT32,
                    RecordedLogprob.SAMPLING,
                    List.of(),
                    false,
                    0,
                    5,
                    6,
                    7,
                    11))
        .hasMessage("producer.versionsKept: 0 must be >= 1");
    assertThatThrownBy(
            () ->
                new ProducerConfig(
                    "b",
                    "",
                    3,
                    WeightPrecision.FLOAT32,
                    RecordedLogprob.SAMPLING,
                    List.of(),
                    false,
                    2,
                    0,
                    6,
                    7,
                    11))
        .hasMessage("producer.maxStarts: 0 must be >= 1");
    assertThatThrownBy(
            () ->
                new ProducerConfig(
                    "b",
                    "",
                    3,
                    WeightPrecision.FLOAT32,
                    RecordedLogprob.SAMPLING,
                    List.of(),
                    false,
                    2,
                    5,
                    -1,
                    7,
                    11))
        .hasMessage("producer.generationTimeoutSeconds: -1 must be >= 0 (0 = no limit)");
    assertThatThrownBy(
            () ->
                new ProducerConfig(
                    "b",
                    "",
                    3,
                    WeightPrecision.FLOAT32,
                    RecordedLogprob.SAMPLING,
                    List.of(),
                    false,
                    2,
                    5,
                    6,
                    0,
                    11))
        .hasMessage("producer.statusEverySeconds: 0 must be >= 1");
    assertThatThrownBy(
            () ->
                new ProducerConfig(
                    "b",
                    "",
                    3,
                    WeightPrecision.FLOAT32,
                    RecordedLogprob.SAMPLING,
                    List.of(),
                    false,
                    2,
                    5,
                    6,
                    7,
                    0))
        .hasMessage("producer.unavailableDeadlineSeconds: 0 must be >= 1");
    assertThatThrownBy(
            () ->
                new ProducerSettings(
                    "run-a", "a.", Path.of("model"), "tpu", 1, ProducerConfig.defaults()))
        .hasMessage("model.device: 'tpu' is not cpu or gpu:i");
    assertThatThrownBy(
            () ->
                new ProducerSettings(
                    "run-a", "a.", Path.of("model"), "cpu", 0, ProducerConfig.defaults()))
        .hasMessage("model.threads: 0 must be >= 1");
    assertThatThrownBy(
            () ->
                new ProducerSettings(
                    " ", "a.", Path.of("model"), "cpu", 1, ProducerConfig.defaults()))
        .hasMessage("run.id: must not be blank");
  }
}
