package org.p3ostream.deploy.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
    store.write(run, result);
    assertThat(store.read(run, "run-hash")).contains(result);
  }

  @Test
  void readRefusesTheResultOfAnotherConfiguration() {
    store.write(run, Results.good("p3o", 1, 0.8));
    assertThat(store.read(run, "other-hash")).isEmpty();
  }

  @Test
  void readRefusesAResultOfAnotherRun() {
    store.write(run, Results.good("grpo", 1, 0.8));
    assertThat(store.read(run, "run-hash")).isEmpty();
  }

  @Test
  void readRefusesWhatIsDamagedOrNotWhole() throws IOException {
    store.write(run, Results.good("p3o", 1, 0.8));
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
  void readFindsNothingBeforeTheRunIsOver() throws IOException {
    assertThat(store.read(run, "run-hash")).isEmpty();
    Files.createDirectories(directory.run(run));
    Files.writeString(directory.run(run).resolve("result.json.part"), "half of it");
    assertThat(store.read(run, "run-hash")).isEmpty();
  }
}
