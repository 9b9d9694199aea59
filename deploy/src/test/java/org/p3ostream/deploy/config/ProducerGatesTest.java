package org.p3ostream.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.RecordedLogprob;
import org.p3ostream.rolloutproducer.config.VariantConfig;

/** What a learner would reject of its producers is refused before either starts. */
class ProducerGatesTest {

  private static final String MIXTURE =
      "producer.mixture=[{responses: 4}, {responses: 4, versionsBack: 3, syncInterval: 8,"
          + " temperature: 1.5, precision: int4}]";

  @Test
  void aMixtureThatTheLearnerTakesIsReadAsItIsWritten() {
    P3oConfig config =
        ConfigLoader.load(
            null, List.of(MIXTURE, "dispatch.versionsBack=10", "producer.rolloutPrecision=FP8"));
    assertThat(config.producer().rolloutPrecision()).isEqualTo(WeightPrecision.FP8);
    assertThat(config.producer().mixture())
        .containsExactly(
            new VariantConfig(4, 0, 1, null, null),
            new VariantConfig(4, 3, 8, 1.5, WeightPrecision.INT4));
    assertThat(ConfigLoader.load(null, List.of()).producer().mixture()).isEmpty();
  }

  @Test
  void aMixtureOfAnotherNumberOfResponsesThanAGroupHasIsRefused() {
    assertThat(problem(MIXTURE, "dispatch.versionsBack=10", "sampling.samplesPerGroup=6"))
        .isEqualTo(
            "producer.mixture: its responses, 8 in all, must be sampling.samplesPerGroup (6): each"
                + " response of a group is sampled by one of the variants");
  }

  @Test
  void aVariantThatGoesBackFurtherThanTheLearnerTakesIsRefused() {
    assertThat(problem(MIXTURE, "dispatch.versionsBack=9"))
        .isEqualTo(
            "producer.mixture[1]: versionsBack 3 plus syncInterval 8 - 1 must be <="
                + " dispatch.versionsBack (9): the learner rejects what is older than asked for by"
                + " more than that");
  }

  @Test
  void inFlightUpdatesInLockstepAreRefused() {
    assertThat(problem("producer.inFlightUpdates=true"))
        .isEqualTo(
            "producer.inFlightUpdates: true cannot stand beside dispatch.lockstep: true: in lockstep"
                + " a prompt names the version that samples every token");
    assertThat(
            ConfigLoader.load(
                    null, List.of("producer.inFlightUpdates=true", "dispatch.lockstep=false"))
                .producer()
                .inFlightUpdates())
        .isTrue();
  }

  @Test
  void logprobsOfAnotherKindThanTheLearnerTakesAreRefused() {
    assertThat(problem("producer.behaviorLogprob=raw"))
        .isEqualTo(
            "producer.behaviorLogprob: raw cannot stand beside ratio.behaviorLogprob: sampling: the"
                + " learner rejects log-probs of another kind than it takes");
    assertThat(problem("ratio.behaviorLogprob=raw"))
        .startsWith(
            "producer.behaviorLogprob: sampling cannot stand beside ratio.behaviorLogprob: raw");
    assertThat(
            ConfigLoader.load(
                    null, List.of("ratio.behaviorLogprob=raw", "producer.behaviorLogprob=raw"))
                .producer()
                .behaviorLogprob())
        .isEqualTo(RecordedLogprob.RAW);
  }

  @Test
  void wordsAndKeysThatDoNotExistAreNamedWithTheirPlace() {
    assertThat(problem("producer.rolloutPrecision=int5"))
        .isEqualTo("producer.rolloutPrecision: 'int5' must be one of float32, fp8, int8, int4");
    assertThat(problem("producer.mixture=[{responses: 8, precision: half}]"))
        .isEqualTo("producer.mixture[0].precision: 'half' must be one of float32, fp8, int8, int4");
    assertThat(problem("producer.mixture=[{responses: 8, version: 3}]"))
        .startsWith("producer.mixture[0].version: unknown key");
    assertThat(problem("producer.mixture=[{versionsBack: 0}]"))
        .isEqualTo("producer.mixture[0].responses: 0 must be >= 1");
  }

  private static String problem(String... overrides) {
    ConfigException refused =
        catchThrowableOfType(
            ConfigException.class, () -> ConfigLoader.load(null, List.of(overrides)));
    assertThat(refused).isNotNull();
    assertThat(refused.problems()).hasSize(1);
    return refused.problems().get(0);
  }
}
