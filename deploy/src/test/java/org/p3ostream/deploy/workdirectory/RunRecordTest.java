package org.p3ostream.deploy.workdirectory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.learner.task.SyntheticTask;

class RunRecordTest {

  @TempDir private Path parent;
  private WorkDirectory directory;
  private RunRecord run;

  @BeforeEach
  void begin() throws Exception {
    directory = new WorkDirectory(Files.createDirectory(parent.resolve("run")), false);
    run = record("learner.checkpointDirectory=" + directory.checkpoints());
  }

  @Test
  void readGivesWhatWasWritten() {
    run.write(directory);
    assertThat(RunRecord.read(directory)).isEqualTo(run);
  }

  @Test
  void readNamesTheFileThatCannotBeUsed() throws Exception {
    Files.writeString(directory.record(), "{\"root\": \"/run\"}");
    assertThatThrownBy(() -> RunRecord.read(directory))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(directory.record().toString())
        .hasMessageContaining("task");
  }

  @Test
  void configurationIsWhatWasDecidedWhileNoFileIsWritten() {
    P3oConfig config = run.configuration(directory, List.of("learner.steps=9"));
    assertThat(config.model().directory()).isEqualTo(directory.model().toString());
    assertThat(config.optimizer().scheduleSteps()).isEqualTo(7);
    assertThat(config.learner().steps()).isEqualTo(9);
  }

  @Test
  void configurationIsTheFileOnceItIsWritten() throws Exception {
    writeConfiguration("learner.checkpointEvery=3");
    assertThat(run.configuration(directory, List.of()).learner().checkpointEvery()).isEqualTo(3);
  }

  @Test
  void configurationFollowsADirectoryThatWasMoved() throws Exception {
    writeConfiguration("learner.checkpointEvery=3");
    Path moved = Files.move(directory.root(), parent.resolve("moved"));

    P3oConfig config = run.configuration(new WorkDirectory(moved, false), List.of());

    assertThat(config.model().directory()).isEqualTo(moved + "/model");
    assertThat(config.prompts().file()).isEqualTo(moved + "/prompts.jsonl");
    assertThat(config.learner().checkpointDirectory()).isEqualTo(moved + "/checkpoints");
    assertThat(config.streams().stateDirectory()).isEqualTo(moved + "/streams-state");
  }

  @Test
  void configurationFollowsADirectoryThatIsACopyOfACopy() throws Exception {
    WorkDirectory copy = new WorkDirectory(Files.createDirectory(parent.resolve("copy")), false);
    WorkDirectory second = new WorkDirectory(Files.createDirectory(parent.resolve("2nd")), false);
    writeConfiguration("metrics.targetsDirectory=" + directory.targets());
    Files.copy(directory.configuration(), copy.configuration());
    Files.writeString(
        copy.configuration(),
        ConfigPrinter.toYaml(
            run.configuration(copy, List.of("metrics.targetsDirectory=" + copy.targets()))));
    Files.copy(copy.configuration(), second.configuration());

    P3oConfig config = run.configuration(second, List.of());

    assertThat(config.model().directory()).isEqualTo(second.model().toString());
    assertThat(config.learner().checkpointDirectory()).isEqualTo(second.checkpoints().toString());
  }

  @Test
  void configurationLeavesWhatLiesElsewhereWhenTheDirectoryWasMoved() {
    RunRecord elsewhere = record("learner.checkpointDirectory=/elsewhere/checkpoints");
    WorkDirectory moved = new WorkDirectory(parent.resolve("moved"), false);
    assertThat(elsewhere.configuration(moved, List.of()).learner().checkpointDirectory())
        .isEqualTo("/elsewhere/checkpoints");
  }

  private RunRecord record(String setting) {
    return new RunRecord(
        directory.root().toString(),
        SyntheticTask.CSUM8,
        1,
        List.of(
            "model.directory=" + directory.model(),
            "prompts.file=" + directory.trainingPrompts(),
            "streams.stateDirectory=" + directory.streamsState(),
            "optimizer.scheduleSteps=7",
            setting));
  }

  private void writeConfiguration(String change) throws Exception {
    Files.writeString(
        directory.configuration(),
        ConfigPrinter.toYaml(run.configuration(directory, List.of(change))));
  }
}
