package org.p3ostream.deploy.experiment.plan;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a plan must say, and must not say. */
final class PlanRules {

  /** Longest run id; topic names have room for 200 characters of prefix. */
  private static final int MAX_NAME = 40;

  private static final Pattern NAME =
      Pattern.compile("[a-z0-9][a-z0-9.-]{0," + (MAX_NAME - 1) + "}");

  private static final String NAME_RULE =
      "must be 1 to "
          + MAX_NAME
          + " lower-case letters, digits, '.' and '-', with a letter or digit first";

  /** What the experiment must know itself, and how to say it instead. */
  private static final Map<String, String> DECIDED_ELSEWHERE =
      Map.ofEntries(
          Map.entry("run.id", "every run has its own"),
          Map.entry("run.seed", "use seeds"),
          Map.entry("run.topicPrefix", "every run has its own"),
          Map.entry("learner.steps", "use steps"),
          Map.entry("learner.checkpointDirectory", "every run has its own"),
          Map.entry("learner.transactionalId", "every run has its own"),
          Map.entry("model.directory", "every seed has its warm start"),
          Map.entry("model.threads", "all runs share one engine, of one thread"),
          Map.entry("prompts.file", "prompts follow from task and seed"),
          Map.entry("prompts.reward", "the tasks are scored by exact match"),
          Map.entry("prompts.datasets", "prompts follow from task and seed"),
          Map.entry("producer.id", "every run has one producer"),
          Map.entry("producer.transactionalId", "every run has its own"),
          Map.entry("kafka.bootstrap.servers", "the experiment starts its own broker"),
          Map.entry("registry.url", "the experiment starts its own registry"));

  private final ExperimentPlan plan;
  private final List<String> problems = new ArrayList<>();

  private PlanRules(ExperimentPlan plan) {
    this.plan = plan;
  }

  /** Every rule that {@code plan} breaks, naming path, value and rule. */
  static List<String> broken(ExperimentPlan plan) {
    PlanRules rules = new PlanRules(plan);
    rules.checkHead();
    rules.checkSeeds();
    rules.checkScenarios();
    rules.checkAlgorithms();
    rules.checkSettings();
    return rules.problems;
  }

  private void checkHead() {
    require(NAME.matcher(plan.name()).matches(), "name", quoted(plan.name()), NAME_RULE);
    require(plan.steps() >= 1, "steps", plan.steps(), "must be >= 1");
    long first = plan.steps() - (plan.heldOut().evaluations() - 1L) * plan.heldOut().everySteps();
    require(
        first >= 1,
        "heldOut.evaluations",
        plan.heldOut().evaluations(),
        "every %d steps do not fit into %d steps"
            .formatted(plan.heldOut().everySteps(), plan.steps()));
    double untilReward = plan.warmStart().untilReward();
    require(
        untilReward >= 0 && untilReward < 1,
        "warmStart.untilReward",
        untilReward,
        "must be in [0, 1)");
    try {
      plan.warmStart().recipe(0);
    } catch (IllegalArgumentException e) {
      problems.add(String.valueOf(e.getMessage()).replace("pretrain.", "warmStart."));
    }
  }

  private void checkSeeds() {
    require(!plan.seeds().isEmpty(), "seeds", "[]", "must hold at least one seed");
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < plan.seeds().size(); i++) {
      long seed = plan.seeds().get(i);
      require(seed >= 0, "seeds[" + i + "]", seed, "must be >= 0");
      require(seen.add(seed), "seeds[" + i + "]", seed, "is there already");
    }
  }

  private void checkScenarios() {
    require(!plan.scenarios().isEmpty(), "scenarios", "[]", "must hold at least one scenario");
    Set<String> names = new HashSet<>();
    for (int i = 0; i < plan.scenarios().size(); i++) {
      Scenario scenario = plan.scenarios().get(i);
      String path = "scenarios[" + i + "].";
      requireName(path, scenario.name(), names);
      require(
          !plan.hasLevels() || scenario.level() != null,
          path + "level",
          "null",
          "must say where on the scale '" + plan.sweep() + "' it stands");
      require(
          plan.hasLevels() || scenario.level() == null,
          path + "level",
          scenario.level(),
          "needs sweep, which says what it counts");
      check(path + "expect.", scenario.expect());
    }
  }

  private void check(String path, Expectation expect) {
    require(
        expect.stalenessMin() >= 0, path + "stalenessMin", expect.stalenessMin(), "must be >= 0");
    require(
        expect.stalenessMax() >= expect.stalenessMin(),
        path + "stalenessMax",
        expect.stalenessMax(),
        "must be >= stalenessMin (" + expect.stalenessMin() + ")");
    require(
        expect.fromStep() >= 0 && expect.fromStep() < plan.steps(),
        path + "fromStep",
        expect.fromStep(),
        "must be in [0, steps = " + plan.steps() + ")");
    Double essMin = expect.essMin();
    require(
        essMin == null || essMin >= 0 && essMin <= 1, path + "essMin", essMin, "must be in [0, 1]");
  }

  private void checkAlgorithms() {
    require(!plan.algorithms().isEmpty(), "algorithms", "[]", "must hold at least one algorithm");
    Set<String> names = new HashSet<>();
    for (int i = 0; i < plan.algorithms().size(); i++) {
      requireName("algorithms[" + i + "].", plan.algorithms().get(i).name(), names);
    }
    require(
        names.contains(plan.baseline()),
        "baseline",
        quoted(plan.baseline()),
        "must name one of the algorithms");
  }

  private void checkSettings() {
    checkDecided("settings.", plan.settings());
    for (int i = 0; i < plan.scenarios().size(); i++) {
      checkDecided("scenarios[" + i + "].settings.", plan.scenarios().get(i).settings());
    }
    for (int i = 0; i < plan.algorithms().size(); i++) {
      Contender algorithm = plan.algorithms().get(i);
      checkDecided("algorithms[" + i + "].settings.", algorithm.settings());
      for (Scenario scenario : plan.scenarios()) {
        for (String path : algorithm.settings().keySet()) {
          require(
              !scenario.settings().containsKey(path),
              "algorithms[" + i + "].settings." + path,
              quoted(algorithm.settings().get(path)),
              "is said by scenario " + scenario.name() + " too: only one of them can hold");
        }
      }
    }
  }

  private void checkDecided(String prefix, Map<String, String> settings) {
    settings.forEach(
        (path, value) -> {
          String instead = DECIDED_ELSEWHERE.get(path);
          require(
              instead == null, prefix + path, quoted(value), "cannot be set in a plan: " + instead);
          require(
              !path.startsWith("streams."),
              prefix + path,
              quoted(value),
              "cannot be set in a plan: no metrics service runs");
          require(
              !path.startsWith("metrics."),
              prefix + path,
              quoted(value),
              "cannot be set in a plan: nothing serves the meters of a run");
        });
  }

  private void requireName(String path, String name, Set<String> names) {
    require(NAME.matcher(name).matches(), path + "name", quoted(name), NAME_RULE);
    require(names.add(name), path + "name", quoted(name), "is there already");
  }

  private static String quoted(String value) {
    return "'" + value + "'";
  }

  private void require(boolean holds, String path, @Nullable Object value, String rule) {
    if (!holds) {
      problems.add(path + ": " + value + " " + rule);
    }
  }
}
