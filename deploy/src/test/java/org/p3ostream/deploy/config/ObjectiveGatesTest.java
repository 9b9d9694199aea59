package org.p3ostream.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.learner.config.Algorithm;

/** Every combination that would train something else than it says is refused, and says why. */
class ObjectiveGatesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "truncated-importance-sampling | p3o | a second factor would correct it twice",
        "decoupled | p3o | a second factor would correct it twice",
        "truncated-importance-sampling | grpo | truncated importance sampling is algorithm.name: tis",
        "decoupled | ppo | a decoupled correction is algorithm.name: decoupled-ppo"
      })
  void anotherCorrectionIsRefused(String correction, String name, String reason) {
    assertThat(problem("algorithm.name=" + name, "algorithm.correction=" + correction))
        .startsWith("algorithm.correction: " + correction + " ")
        .contains(reason);
  }

  @Test
  void aCriticIsRefused() {
    assertThat(problem("algorithm.critic=true"))
        .startsWith("algorithm.critic: true cannot stand beside p3o: ")
        .contains("a value function would be fitted to data of other policies without the cap");
    assertThat(problem("algorithm.critic=true", "algorithm.name=grpo"))
        .startsWith("algorithm.critic: true must be false: advantages are relative to the group");
  }

  @Test
  void aMeanPerSampleIsRefused() {
    assertThat(problem("algorithm.normalization=sample-mean"))
        .startsWith("algorithm.normalization: sample-mean cannot stand beside p3o: ")
        .contains("the ESS counts every token of the step alike");
    assertThat(problem("algorithm.normalization=sample-mean", "algorithm.name=dapo"))
        .startsWith("algorithm.normalization: sample-mean must be token-mean: ");
  }

  @Test
  void dropoutIsRefused() {
    assertThat(problem("model.dropout=0.1"))
        .startsWith("model.dropout: 0.1 must be 0: ")
        .contains("pre-pass and update must see the same log-probs");
  }

  @Test
  void microBatchScopeIsRefusedWhereALossIsExecutedTwice() {
    String[] twice = {
      "algorithm.essScope=micro-batch",
      "learner.microBatchTokens=512",
      "learner.retainedGraphTokens=511"
    };
    assertThat(problem(twice))
        .startsWith(
            "algorithm.essScope: micro-batch cannot stand beside learner.retainedGraphTokens (511)"
                + " below learner.microBatchTokens (512): ")
        .contains("from one graph, which must fit");
    twice[2] = "learner.retainedGraphTokens=512";
    assertThatCode(() -> load(twice)).doesNotThrowAnyException();
  }

  @Test
  void rejectingTruncatedSamplingIsRefusedWhereItIsAskedFor() {
    assertThat(problem("ratio.truncatedSampling=reject", "sampling.topP=0.9"))
        .startsWith("ratio.truncatedSampling: reject cannot stand beside sampling.topK 0, topP 0.9")
        .contains("every group asked for would be rejected");
    assertThatCode(() -> load("ratio.truncatedSampling=reject")).doesNotThrowAnyException();
  }

  @Test
  void rawLogprobsAreRefusedAgainstAPolicyAtAnotherTemperature() {
    String[] settings = {
      "ratio.behaviorLogprob=raw",
      "producer.behaviorLogprob=raw",
      "ratio.policyTemperature=sampling",
      "sampling.temperature=0.6"
    };
    assertThat(problem(settings))
        .startsWith("ratio.behaviorLogprob: raw cannot stand beside ratio.policyTemperature: ")
        .contains("the ratio would compare two temperatures");
    settings[3] = "sampling.temperature=1";
    assertThatCode(() -> load(settings)).doesNotThrowAnyException();
  }

  @Test
  void overlongBufferIsRefusedWhenItIsLongerThanAnyResponse() {
    assertThat(problem("algorithm.overlongBuffer=17"))
        .startsWith("algorithm.overlongBuffer: 17 must be <= sampling.maxResponseTokens (16)");
  }

  @Test
  void attemptsOfDynamicSamplingAreRefusedWhichAGroupIsNotGiven() {
    assertThat(problem("algorithm.name=dapo", "algorithm.dynamicSamplingAttempts=12"))
        .startsWith("algorithm.dynamicSamplingAttempts: 12 must be <= window.maxTopUps + 1 (11)");
    assertThat(problem("algorithm.name=dapo", "window.maxTopUps=2"))
        .startsWith("algorithm.dynamicSamplingAttempts: 4 must be <= window.maxTopUps + 1 (3)");
    assertThat(problem("algorithm.name=dapo", "window.maxTopUps=3", "window.maxStaleness=1"))
        .startsWith(
            "algorithm.dynamicSamplingAttempts: 4 must be <= window.maxTopUps, one of which is for window.maxStaleness (3)");
    load("algorithm.dynamicSamplingAttempts=12"); // p3o trains groups of equal rewards
  }

  @Test
  void groupsOfOneAreRefused() {
    assertThat(problem("sampling.samplesPerGroup=1"))
        .isEqualTo("sampling.samplesPerGroup: 1 is below 2: advantages are relative to the group");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "referenceKl=-1",
        "entropy=-0.1",
        "overlongBuffer=-1",
        "overlongPenalty=0",
        "dynamicSamplingAttempts=0",
        "essScope=window",
        "name=reinforce"
      })
  void numbersOutsideTheirRangeAreRefusedByPath(String assignment) {
    String[] parts = assignment.split("=");
    assertThat(problem("algorithm." + assignment))
        .startsWith("algorithm." + parts[0] + ": ")
        .contains(parts[1], " must be ");
  }

  @Test
  void everyAlgorithmIsReachedByItsName() {
    for (Algorithm algorithm : Algorithm.values()) {
      P3oConfig config = load("algorithm.name=" + algorithm.id());
      assertThat(config.algorithm().name()).isEqualTo(algorithm);
      assertThat(config.resolved().algorithm().objective())
          .isEqualTo(config.algorithm().objective());
    }
  }

  private static P3oConfig load(String... overrides) {
    return ConfigLoader.load(null, List.of(overrides));
  }

  private static String problem(String... overrides) {
    List<String> problems =
        catchThrowableOfType(ConfigException.class, () -> load(overrides)).problems();
    assertThat(problems).as(Arrays.toString(overrides)).hasSize(1);
    return problems.get(0);
  }
}
