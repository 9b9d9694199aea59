package org.p3ostream.rolloutproducer.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.SamplingRequest;

class TaskRulesTest {

  private static PromptTask sampling(UnaryOperator<SamplingRequest.Builder> change) {
    return PromptTasks.builder(0).setSampling(change.apply(PromptTasks.sampling()).build()).build();
  }

  @Test
  void violationIsEmptyWhenTheTaskCanBeServed() {
    assertThat(TaskRules.violation(PromptTasks.task(0))).isEmpty();
    assertThat(
            TaskRules.violation(
                sampling(s -> s.setMinP(0.1).setTopK(3).setStopStrings(List.of("\n")))))
        .isEmpty();
  }

  @Test
  void violationNamesFieldValueAndRule() {
    assertThat(TaskRules.violation(sampling(s -> s.setMinP(1))))
        .contains("sampling.minP: 1.0 must be in [0, 1)");
    assertThat(TaskRules.violation(sampling(s -> s.setMinP(-0.1)))).isPresent();
    assertThat(TaskRules.violation(sampling(s -> s.setMinP(Double.NaN)))).isPresent();
    assertThat(TaskRules.violation(sampling(s -> s.setStopStrings(List.of("a", "")))))
        .contains("sampling.stopStrings: [a, ] must hold no empty text");
    assertThat(TaskRules.violation(sampling(s -> s.setRepetitionPenalty(1.1))))
        .contains(
            "sampling.repetitionPenalty: 1.1 must be 1: a repetition penalty is not supported");
    assertThat(TaskRules.violation(sampling(s -> s.setTemperature(0))))
        .contains("sampling.temperature: 0.0 must be > 0 and finite");
    assertThat(TaskRules.violation(sampling(s -> s.setTemperature(Double.NaN)))).isPresent();
    assertThat(TaskRules.violation(sampling(s -> s.setTopK(-1))))
        .contains("sampling.topK: -1 must be >= 0");
    assertThat(TaskRules.violation(sampling(s -> s.setTopP(0))))
        .contains("sampling.topP: 0.0 must be in (0, 1]");
    assertThat(TaskRules.violation(sampling(s -> s.setMaxResponseTokens(0))))
        .contains("sampling.maxResponseTokens: 0 must be >= 1");
    assertThat(TaskRules.violation(PromptTasks.builder(0).setSamplesPerGroup(0).build()))
        .contains("samplesPerGroup: 0 must be >= 1");
    assertThat(TaskRules.violation(PromptTasks.builder(0).setReward("judge").build()))
        .contains("reward: judge is none of [exact-match, numeric, regex]");
  }

  @Test
  void violationCountsPromptAndResponseAgainstTheModelsPositions() {
    PromptTask task = PromptTasks.task(0);

    assertThat(TaskRules.violation(task, 9, 15)).isEmpty();
    assertThat(TaskRules.violation(task, 10, 15))
        .contains("prompt: its 10 tokens and 6 response tokens exceed the model's 15 positions");
    assertThat(TaskRules.violation(task, 0, 15)).contains("prompt: has no token");
  }
}
