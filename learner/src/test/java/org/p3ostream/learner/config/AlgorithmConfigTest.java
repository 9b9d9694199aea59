package org.p3ostream.learner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.p3ostream.learner.objective.Dapo;
import org.p3ostream.learner.objective.DecoupledPpo;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.PpoClip;
import org.p3ostream.learner.objective.RatioCap;
import org.p3ostream.learner.objective.TruncatedImportanceSampling;

class AlgorithmConfigTest {

  @ParameterizedTest
  @CsvSource({
    "P3O, p3o/step/exact",
    "GRPO, grpo/0.2",
    "PPO, ppo/0.2/3.0",
    "DAPO, dapo/0.2/0.28",
    "CISPO, cispo/0.2/0.28",
    "GSPO, gspo/3e-4/4e-4",
    "TIS, tis/2.0",
    "DECOUPLED_PPO, decoupled-ppo/0.2/2.0"
  })
  void objectiveTakesItsOwnDefaultsWhenNothingIsConfigured(Algorithm name, String id) {
    assertThat(AlgorithmConfig.of(name).objective().id()).isEqualTo(id);
  }

  @Test
  void objectiveTakesWhatIsConfigured() {
    assertThat(with(Algorithm.P3O, EssScope.MICRO_BATCH, KlMode.PROXY_SAFE).objective())
        .isEqualTo(new P3o(EssScope.MICRO_BATCH, KlMode.PROXY_SAFE));
    assertThat(clipped(Algorithm.GRPO, 0.1, null).objective()).isEqualTo(new Grpo(0.1, 0.2));
    assertThat(clipped(Algorithm.DAPO, null, 0.5).objective()).isEqualTo(new Dapo(0.2, 0.5));
    assertThat(numbers(Algorithm.PPO, 0.1, null, 5.0, null).objective())
        .isEqualTo(new PpoClip(0.1, 5));
    assertThat(numbers(Algorithm.PPO, null, 0.3, null, null).objective())
        .isEqualTo(new PpoClip(0.3, 3));
    assertThat(numbers(Algorithm.DECOUPLED_PPO, 0.1, 0.1, null, 4.0).objective())
        .isEqualTo(new DecoupledPpo(0.1, 4));
    assertThat(numbers(Algorithm.TIS, null, null, null, 5.0).objective())
        .isEqualTo(new TruncatedImportanceSampling(5));
  }

  @Test
  void halvesOfP3oAreObjectivesOfTheirOwn() {
    assertThat(p3o(KlMode.NONE, null).objective().id()).isEqualTo("p3o/step/none");
    assertThat(p3o(null, RatioCap.NONE).objective().id()).isEqualTo("p3o/step/exact/cap-none");
    assertThatThrownBy(() -> p3o(KlMode.NONE, RatioCap.NONE))
        .hasMessageStartingWith(
            "algorithm.ratioCap: none cannot stand beside klMode none: nothing of P3O would be left");
    assertThatThrownBy(() -> capped(Algorithm.TIS, null, RatioCap.ESS))
        .hasMessage("algorithm.ratioCap: ess has no meaning for tis: it has no cap of its own");
  }

  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void resolvedIsTheSameObjectiveAndResolvedAlready(Algorithm name) {
    AlgorithmConfig resolved = AlgorithmConfig.of(name).resolved();
    assertThat(resolved.objective()).isEqualTo(AlgorithmConfig.of(name).objective());
    assertThat(resolved.resolved()).isEqualTo(resolved);
    assertThat(resolved.dropZeroVariance()).isEqualTo(name == Algorithm.DAPO);
  }

  @ParameterizedTest
  @EnumSource(value = Algorithm.class, names = "P3O", mode = EnumSource.Mode.EXCLUDE)
  void scopeAndModeAreRefusedWhereThereIsNoEss(Algorithm name) {
    assertThatThrownBy(() -> with(name, EssScope.STEP, null))
        .hasMessage(
            "algorithm.essScope: step has no meaning for " + name.id() + ": it measures no ESS");
    assertThatThrownBy(() -> with(name, null, KlMode.PROXY))
        .hasMessage(
            "algorithm.klMode: proxy has no meaning for " + name.id() + ": it has no adaptive KL");
  }

  @Test
  void numbersAreRefusedWhereTheyWouldHaveNoEffect() {
    refused(Algorithm.P3O, 0.2, null, null, null, "clipLow: 0.2 has no meaning for p3o");
    refused(Algorithm.TIS, null, 0.2, null, null, "clipHigh: 0.2 has no meaning for tis");
    refused(Algorithm.GRPO, null, null, 3.0, null, "dualClip: 3.0 has no meaning for grpo");
    refused(Algorithm.P3O, null, null, null, 2.0, "importanceCap: 2.0 has no meaning for p3o");
  }

  @Test
  void numbersAreRefusedOutsideTheirRange() {
    refused(Algorithm.GRPO, 1.1, null, null, null, "clipLow: 1.1 must be in (0, 1]");
    refused(Algorithm.GRPO, null, 0.0, null, null, "clipHigh: 0.0 must be > 0");
    refused(Algorithm.PPO, 0.1, 0.2, null, null, "clipHigh: 0.2 must equal clipLow (0.1)");
    refused(Algorithm.PPO, null, 1.5, null, null, "clipHigh: 1.5 must be in (0, 1]");
    refused(Algorithm.PPO, null, null, 1.0, null, "dualClip: 1.0 must be > 1");
    refused(Algorithm.TIS, null, null, null, 0.0, "importanceCap: 0.0 must be > 0");
  }

  private static void refused(
      Algorithm name,
      @Nullable Double clipLow,
      @Nullable Double clipHigh,
      @Nullable Double dualClip,
      @Nullable Double importanceCap,
      String message) {
    assertThatThrownBy(() -> numbers(name, clipLow, clipHigh, dualClip, importanceCap))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("algorithm." + message);
  }

  private static AlgorithmConfig clipped(
      Algorithm name, @Nullable Double clipLow, @Nullable Double clipHigh) {
    return numbers(name, clipLow, clipHigh, null, null);
  }

  private static AlgorithmConfig numbers(
      Algorithm name,
      @Nullable Double clipLow,
      @Nullable Double clipHigh,
      @Nullable Double dualClip,
      @Nullable Double importanceCap) {
    return config(name, null, null, clipLow, clipHigh, dualClip, importanceCap);
  }

  private static AlgorithmConfig with(
      Algorithm name, @Nullable EssScope essScope, @Nullable KlMode klMode) {
    return config(name, essScope, klMode, null, null, null, null);
  }

  private static AlgorithmConfig p3o(@Nullable KlMode klMode, @Nullable RatioCap cap) {
    return capped(Algorithm.P3O, klMode, cap);
  }

  private static AlgorithmConfig capped(
      Algorithm name, @Nullable KlMode klMode, @Nullable RatioCap cap) {
    AlgorithmConfig standard = AlgorithmConfig.of(name);
    return new AlgorithmConfig(
        name,
        null,
        klMode,
        cap,
        null,
        null,
        null,
        null,
        standard.advantage(),
        standard.referenceKl(),
        standard.entropy(),
        standard.overlongBuffer(),
        standard.overlongPenalty(),
        standard.dropZeroVariance(),
        standard.dynamicSamplingAttempts(),
        standard.correction(),
        standard.critic(),
        standard.normalization());
  }

  private static AlgorithmConfig config(
      Algorithm name,
      @Nullable EssScope essScope,
      @Nullable KlMode klMode,
      @Nullable Double clipLow,
      @Nullable Double clipHigh,
      @Nullable Double dualClip,
      @Nullable Double importanceCap) {
    AlgorithmConfig standard = AlgorithmConfig.of(name);
    return new AlgorithmConfig(
        name,
        essScope,
        klMode,
        null,
        clipLow,
        clipHigh,
        dualClip,
        importanceCap,
        standard.advantage(),
        standard.referenceKl(),
        standard.entropy(),
        standard.overlongBuffer(),
        standard.overlongPenalty(),
        standard.dropZeroVariance(),
        standard.dynamicSamplingAttempts(),
        standard.correction(),
        standard.critic(),
        standard.normalization());
  }
}
