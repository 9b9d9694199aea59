package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Runs that go on with another configuration, and those that do not. */
@ExtendWith(LocalStackExtension.class)
@Tag("endurance")
class ConfigChangeIT {

  private static final String[] FASTER = {"optimizer.learningRate=0.01", "learner.steps=4"};
  private static final String[] OTHER_OBJECTIVE = {
    "optimizer.learningRate=0.01",
    "algorithm.name=grpo",
    "learner.microBatchTokens=256",
    "learner.steps=6"
  };

  @Test
  void changeIsRecordedAndEveryStepIsExecutedAgainUnderTheConfigurationItHad(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory);
    try (RunningRole producer = run.producer("a")) {
      run.learner("learner.steps=2").join();
      assertThat(run.learner(FASTER).failure())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContainingAll(
              "in force since GENESIS",
              "optimizer.learningRate: 0.001 -> 0.01",
              "--accept-config-change");
      run.learnerThatAcceptsAChange(FASTER).join();
      run.learnerThatAcceptsAChange(OTHER_OBJECTIVE).join();
      assertThat(run.learner(FASTER).failure())
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContainingAll(
              "in force since step 4",
              "algorithm.name: grpo -> p3o",
              "algorithm.klMode: none -> exact",
              "learner.microBatchTokens: 256 -> 4096");
      run.deleteCheckpoints();
      run.learner(with(OTHER_OBJECTIVE, "learner.steps=8")).join();
    }
    assertThat(run.steps()).extracting(StepEvent::getAlgorithm).startsWith("p3o/step/exact");
    assertThat(run.steps())
        .extracting(StepEvent::getAlgorithm)
        .endsWith("grpo/0.2", "grpo/0.2", "grpo/0.2", "grpo/0.2");
    List<StepEvent> changes =
        run.ledger().stream().filter(event -> event.getKind() == StepKind.CONTROL).toList();
    assertThat(changes).extracting(StepEvent::getStep).containsExactly(2L, 4L);
    assertThat(changes)
        .extracting(StepEvent::getControl)
        .extracting(ControlChange::getKind)
        .containsOnly(ControlKind.CONFIGURATION);
    assertThat(changes.get(0).getControl().getDescription())
        .isEqualTo("optimizer.learningRate: 0.001 -> 0.01");
    assertThat(changes.get(0).getConfiguration()).contains("\"learningRate\":0.01");
    assertThat(run.steps()).extracting(StepEvent::getConfigHash).doesNotContainNull();
  }

  @Test
  void whatARunKeepsToItsEndIsNotChangedEvenIfItIsAskedFor(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = new TestRun(stack, directory, "learner.steps=1");
    try (RunningRole producer = run.producer("a")) {
      run.learner().join();
    }
    int events = run.ledger().size();
    assertThat(
            run.learnerThatAcceptsAChange(
                    "run.seed=2", "dispatch.groupsPerWindow=2", "optimizer.learningRate=0.5")
                .failure())
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContainingAll(
            "run.seed: 1 -> 2 (prompts and sampling seeds are functions of it)",
            "dispatch.groupsPerWindow: 4 -> 2")
        .hasMessageNotContaining("learningRate");
    assertThat(run.ledger()).hasSize(events);
  }

  private static String[] with(String[] settings, String setting) {
    String[] all = java.util.Arrays.copyOf(settings, settings.length + 1);
    all[settings.length] = setting;
    return all;
  }
}
