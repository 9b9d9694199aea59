package org.p3ostream.deploy.experiment.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.learner.task.SyntheticTask;

class PlanReaderTest {

  @Test
  void readTakesWhatIsSaidAndDefaultsForTheRest() {
    ExperimentPlan plan = Plans.study();
    assertThat(plan.name()).isEqualTo("study");
    assertThat(plan.task()).isEqualTo(SyntheticTask.CSUM8);
    assertThat(plan.seeds()).containsExactly(1L, 2L);
    assertThat(plan.warmStart()).isEqualTo(WarmStart.defaults());
    assertThat(plan.heldOut()).isEqualTo(new HeldOut(16, 2, 10));
    assertThat(plan.gate()).isEqualTo(new GateRules(0.1, 0.05, 0.5));
    assertThat(plan.settings())
        .containsEntry("sampling.maxResponseTokens", "12")
        .containsKey("optimizer.learningRate");
    assertThat(plan.scenarios())
        .extracting(Scenario::title)
        .containsExactly("fresh", "lag 2"); // the name where there is no title
    assertThat(plan.scenarios().get(0).expect()).isEqualTo(new Expectation(0, 0, 0, 0.99));
    assertThat(plan.scenarios().get(1).expect()).isEqualTo(new Expectation(2, 2, 2, null));
    assertThat(plan.hasLevels()).isFalse();
  }

  @Test
  void runsAreEveryCellWithEverySeedWholeSeedsFirst() {
    List<PlannedRun> runs = Plans.study().runs();
    assertThat(runs).hasSize(2 * 3 * 2).extracting(PlannedRun::id).doesNotHaveDuplicates();
    assertThat(runs.subList(0, 6)).extracting(PlannedRun::seed).containsOnly(1L);
    assertThat(runs.get(4).id()).isEqualTo("lag2_p3o_1");
  }

  @Test
  void settingsOfARunAreOrderedFromTheGeneralToTheSpecial() {
    ExperimentPlan plan =
        Plans.study("{algorithm.name: p3o}", "{algorithm.name: p3o, optimizer.learningRate: 0.5}");
    PlannedRun run = plan.runs().get(4);
    assertThat(ConfigLoader.load(null, run.settings(plan)))
        .satisfies(
            config -> {
              assertThat(config.run().seed()).isEqualTo(1);
              assertThat(config.learner().steps()).isEqualTo(30);
              assertThat(config.optimizer().scheduleSteps()).isEqualTo(30);
              assertThat(config.optimizer().learningRate()).isEqualTo(0.5);
              assertThat(config.dispatch().maxStaleness()).isEqualTo(2);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "steps: 30       | stepz: 30      | stepz: unknown key; did you mean steps?",
        "expect: {essMin | expects: {essMin | scenarios[0].expects: unknown key",
        "essMin: 0.99    | essMin: much   | scenarios[0].expect.essMin: 'much' must be a finite number",
        "essMin: 0.99    | essMin: 1.5    | scenarios[0].expect.essMin: 1.5 must be in [0, 1]",
        "steps: 30       | steps: 0       | steps: 0 must be >= 1",
        "name: study     | name: A_b      | name: 'A_b' must be 1 to 40 lower-case letters",
        "[1, 2]          | []             | seeds: [] must hold at least one seed",
        "[1, 2]          | [1, 1]         | seeds[1]: 1 is there already",
        "[1, 2]          | [1, x]         | seeds: '\"x\"' in the list must be a whole number",
        "[1, 2]          | 7              | seeds: '7' must be a list of whole numbers",
        "task: csum8     | task: chess    | task: 'chess' must be one of csum8, sort8, arithmetic",
        "baseline: grpo  | baseline: ppo  | baseline: 'ppo' must name one of the algorithms",
        "name: lag2      | name: fresh    | scenarios[1].name: 'fresh' is there already",
        "evaluations: 2  | evaluations: 4 | heldOut.evaluations: 4 every 10 steps do not fit into 30",
        "prompts: 16     | prompts: 0     | heldOut.prompts: 0 must be >= 1",
        "0.1}            | -1}            | gate.rewardMargin: -1.0 must be >= 0",
        "fromStep: 2     | fromStep: 30   | scenarios[1].expect.fromStep: 30 must be in [0, steps = 30)",
        "stalenessMax: 2 | stalenessMax: 1 | scenarios[1].expect.stalenessMax: 1 must be >= stalenessMin (2)",
        "title: lag 2    | level: 2       | scenarios[1].level: 2.0 needs sweep",
        "baseline: grpo  | 'baseline: grpo\nsweep: lag' | scenarios[0].level: null must say where on the scale 'lag'",
        "gate:           | 'warmStart: {warmupSteps: 9000}\ngate:' | warmStart.warmup: 9000.0 must be in [0, steps",
        "gate:           | 'warmStart: {untilReward: 1}\ngate:' | warmStart.untilReward: 1.0 must be in [0, 1)",
        "{algorithm.name: grpo} | {dispatch.maxStaleness: 1} | algorithms[0].settings.dispatch.maxStaleness: '1' is said by scenario fresh too",
      })
  void readNamesSourcePathValueAndRule(String old, String other, String problem) {
    assertThat(problems(Plans.with(old.strip(), other.strip())))
        .anySatisfy(found -> assertThat(found).startsWith("study.yaml: " + problem.strip()));
  }

  @Test
  void readRefusesWhatTheExperimentDecides() {
    assertThat(
            problems(
                Plans.with(
                    "  optimizer.learningRate: 1e-3",
                    "  run.seed: 3\n  kafka.bootstrap.servers: b:1\n  streams.port: 1\n"
                        + "  metrics.learnerPort: 0")))
        .containsExactly(
            "study.yaml: settings.kafka.bootstrap.servers: 'b:1' cannot be set in a plan: the"
                + " experiment starts its own broker",
            "study.yaml: settings.metrics.learnerPort: '0' cannot be set in a plan: nothing serves"
                + " the meters of a run",
            "study.yaml: settings.run.seed: '3' cannot be set in a plan: use seeds",
            "study.yaml: settings.streams.port: '1' cannot be set in a plan: no metrics service runs");
  }

  @Test
  void readNamesTheLineWhenItIsNoYamlOrAKeyIsThereTwice() {
    assertThat(problems("name: [")).singleElement().asString().startsWith("study.yaml: ");
    assertThat(problems(Plans.with("steps: 30", "steps: 30\nsteps: 31")))
        .singleElement()
        .asString()
        .contains("study.yaml", "Duplicate", "'steps'", "line 6");
  }

  private static List<String> problems(String yaml) {
    return catchThrowableOfType(ConfigException.class, () -> PlanReader.read("study.yaml", yaml))
        .problems();
  }
}
