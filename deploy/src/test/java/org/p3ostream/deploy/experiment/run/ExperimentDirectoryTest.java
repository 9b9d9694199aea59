package org.p3ostream.deploy.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.plan.Plans;

class ExperimentDirectoryTest {

  @TempDir private Path root;

  @Test
  void createTakesAnEmptyDirectoryAndWhatAnExperimentLeftThatNeverBegan() throws IOException {
    ExperimentDirectory.create(root.resolve("new"));
    Files.writeString(root.resolve("new/in-use"), "");
    Files.writeString(root.resolve("new/experiment.log"), "");
    Files.writeString(root.resolve("new/plan.yaml.part"), "name: st"); // a full disk
    assertThat(ExperimentDirectory.create(root.resolve("new")).plan().getFileName())
        .hasToString("plan.yaml");
  }

  @Test
  void createRefusesAnExperimentAndAnythingElse() throws IOException {
    Files.writeString(root.resolve("letters.txt"), "");
    assertThatThrownBy(() -> ExperimentDirectory.create(root))
        .isInstanceOf(ConfigException.class)
        .hasMessage("--out: " + root + " must be empty or missing");
    Files.writeString(root.resolve("plan.yaml"), "");
    assertThatThrownBy(() -> ExperimentDirectory.create(root))
        .hasMessage("--out: " + root + " holds an experiment already: --resume goes on with it");
  }

  @Test
  void existingRefusesADirectoryWithoutAPlan() {
    assertThatThrownBy(() -> ExperimentDirectory.existing(root))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "--out: " + root + " holds no experiment: it has no plan.yaml; --plan begins one");
  }

  @Test
  void whatWasKilledBeforeItHadAPlanBeginsWhenItGoesOn() throws IOException {
    Path out = root.resolve("killed");
    assertThat(ExperimentDirectory.existingOrNew(out).isBegun()).isFalse();
    Files.writeString(out.resolve("experiment.log"), "");
    Files.writeString(out.resolve("plan.yaml.part"), "name: st");
    assertThat(ExperimentDirectory.existingOrNew(out).isBegun()).isFalse();
    Files.writeString(out.resolve("plan.yaml"), "");
    assertThat(ExperimentDirectory.existingOrNew(out).isBegun()).isTrue();
    Files.delete(out.resolve("plan.yaml"));
    Files.writeString(out.resolve("letters.txt"), "");
    assertThatThrownBy(() -> ExperimentDirectory.existingOrNew(out))
        .hasMessage("--out: " + out + " must be empty or missing");
  }

  @Test
  void cleanupIsNotedUntilItIsForgotten() {
    PlannedRun run = Plans.study().runs().get(0);
    ExperimentDirectory directory = new ExperimentDirectory(root);
    assertThat(directory.notedCleanup(run)).isEmpty();
    directory.noteCleanup(run, KeptTopics.NONE);
    assertThat(new ExperimentDirectory(root).notedCleanup(run)).contains(KeptTopics.NONE);
    directory.forgetCleanup(run);
    assertThat(directory.notedCleanup(run)).isEmpty();
    directory.forgetCleanup(run);
  }

  @Test
  void everyExecutionOfARunHasATopicPrefixThatNobodyHadBefore() {
    ExperimentDirectory directory = new ExperimentDirectory(root);
    PlannedRun run = Plans.study().runs().get(0);
    assertThat(directory.beginAttempt(run)).isEqualTo(1);
    assertThat(directory.beginAttempt(run)).isEqualTo(2);
    assertThat(new ExperimentDirectory(root).beginAttempt(run)).isEqualTo(3);
    assertThat(RunConfiguration.topicPrefix(Plans.study(), run, 3))
        .isEqualTo("study.fresh_grpo_1.3.");
  }
}
