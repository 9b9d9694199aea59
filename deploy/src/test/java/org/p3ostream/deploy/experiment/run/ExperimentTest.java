package org.p3ostream.deploy.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.experiment.outcome.Results;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.plan.Plans;

class ExperimentTest {

  private final ExperimentPlan plan = Plans.study();
  private final Map<String, RunResult> results = new HashMap<>(); // of all runs

  ExperimentTest() {
    plan.runs().forEach(run -> put(run, null, 0.8));
  }

  private void put(PlannedRun run, String failure, double heldOut) {
    results.put(
        run.id(),
        Results.of(
            run.scenario().name(),
            run.algorithm().name(),
            run.seed(),
            failure,
            heldOut,
            Results.steps(30, 0))); // not what the scenario lag2 says
  }

  @Test
  void runsWithoutAResultOrThatFailedToExecuteAreDue() {
    List<PlannedRun> runs = plan.runs();
    results.remove(runs.get(1).id());
    put(runs.get(2), "learner: another learner took over", 0);
    put(runs.get(5), "no step was committed for 15 minutes, after 3 of 30", 0);
    put(runs.get(7), "could not be measured: Timeout", 0);
    assertThat(Experiment.due(plan, results))
        .containsExactly(runs.get(1), runs.get(2), runs.get(5), runs.get(7));
  }

  @Test
  void runsThatCollapsedDivergedOrAreNotWhatTheirScenarioSaysStay() {
    put(plan.runs().get(3), null, 0.0);
    put(plan.runs().get(4), "diverged: window 3: loss NaN is not finite", 0);
    assertThat(Experiment.due(plan, results)).isEmpty();
  }

  @Test
  void topicsOfRunsThatAreOverAreDeletedByWhoeverGoesOn(@TempDir Path root) {
    ExperimentDirectory directory = new ExperimentDirectory(root);
    List<PlannedRun> runs = plan.runs();
    assertThat(Experiment.uncleaned(plan, List.of(), directory)).isEmpty();
    directory.noteCleanup(runs.get(1), KeptTopics.EVIDENCE);
    directory.noteCleanup(runs.get(2), KeptTopics.EVIDENCE);
    assertThat(Experiment.uncleaned(plan, List.of(runs.get(2)), directory))
        .containsExactly(runs.get(1)); // all that the other left is deleted before it begins
  }
}
