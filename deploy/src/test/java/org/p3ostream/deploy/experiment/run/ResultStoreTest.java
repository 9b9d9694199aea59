package org.p3ostream.deploy.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.experiment.outcome.Results;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.plan.Plans;

class ResultStoreTest {

  private final PlannedRun run = Plans.study().runs().get(4); // lag2_p3o_1
  @TempDir private Path root;
  private ExperimentDirectory directory;
  private ResultStore store;

  @BeforeEach
  void open() {
    directory = new ExperimentDirectory(root);
    store = new ResultStore(directory);
  }

  @Test
  void readGivesBackWhatWasWrittenToTheLastBit() {
    RunResult result =
        Results.of(
            "lag2",
            "p3o",
            1,
            "learner: loss NaN",
            0,
            Results.with(
                Results.steps(12, 2), 3, step -> Results.figures(step, 1.0 / 3, Double.NaN)));
    store.write(run, result, KeptTopics.EVIDENCE);
    assertThat(store.read(run, "run-hash")).contains(result);
  }

  @Test
  void readRefusesTheResultOfAnotherConfiguration() {
    store.write(run, Results.good("p3o", 1, 0.8), KeptTopics.EVIDENCE);
    assertThat(store.read(run, "other-hash")).isEmpty();
  }

  @Test
  void readRefusesAResultOfAnotherRun() {
    store.write(run, Results.good("grpo", 1, 0.8), KeptTopics.EVIDENCE);
    assertThat(store.read(run, "run-hash")).isEmpty();
  }

  @Test
  void readRefusesWhatIsDamagedOrNotWhole() throws IOException {
    store.write(run, Results.good("p3o", 1, 0.8), KeptTopics.EVIDENCE);
    String whole = Files.readString(directory.result(run));
    for (String damaged :
        new String[] {
          "",
          whole.substring(0, whole.length() / 2),
          "{}",
          whole.replace("\"format\":1", "\"format\":2")
        }) {
      Files.writeString(directory.result(run), damaged);
      assertThat(store.read(run, "run-hash")).as(damaged).isEmpty();
    }
  }

  @Test
  void whatWouldBeLostIsAnyWholeResultThatIsNotTaken() throws IOException {
    assertThat(store.isOfAnother(run, "run-hash")).isFalse(); // there is none
    store.write(run, Results.good("p3o", 1, 0.8), KeptTopics.EVIDENCE);
    String whole = Files.readString(directory.result(run));
    assertThat(store.isOfAnother(run, "run-hash")).isFalse();
    assertThat(store.isOfAnother(run, "other-hash")).isTrue();
    for (String ofAnotherProgram :
        new String[] {
          whole.replace("\"seed\":", "\"grain\":"),
          whole.replace("\"failure\":null", "\"failure\":null,\"more\":1"),
          whole.replace("\"evaluations\":[", "\"evaluations\":[7,"),
          whole.replace("\"format\":1", "\"format\":2"),
          "{}"
        }) {
      assertThat(ofAnotherProgram).isNotEqualTo(whole);
      Files.writeString(directory.result(run), ofAnotherProgram);
      assertThat(store.isOfAnother(run, "run-hash")).as(ofAnotherProgram).isTrue();
    }
    for (String damaged : new String[] {"", whole.substring(0, whole.length() / 2)}) {
      Files.writeString(directory.result(run), damaged);
      assertThat(store.isOfAnother(run, "run-hash")).as(damaged).isFalse();
    }
    Files.delete(directory.result(run));
    Files.createDirectory(directory.result(run)); // it is there, and cannot be read
    assertThat(store.isOfAnother(run, "run-hash")).isTrue();
  }

  @Test
  void writeNotesFirstWhatStaysOfTheTopics() throws IOException {
    store.write(run, Results.good("p3o", 1, 0.8), KeptTopics.NONE);
    assertThat(directory.notedCleanup(run)).contains(KeptTopics.NONE);
    directory.forgetCleanup(run);
    Files.delete(directory.result(run));
    Files.createDirectories(directory.result(run).resolve("full")); // nothing can be written there
    assertThatThrownBy(() -> store.write(run, Results.good("p3o", 1, 0.8), KeptTopics.NONE))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(directory.notedCleanup(run)).contains(KeptTopics.NONE);
  }

  @Test
  void readFindsNothingBeforeTheRunIsOver() throws IOException {
    assertThat(store.read(run, "run-hash")).isEmpty();
    Files.createDirectories(directory.run(run));
    Files.writeString(directory.run(run).resolve("result.json.part"), "half of it");
    assertThat(store.read(run, "run-hash")).isEmpty();
  }
}
