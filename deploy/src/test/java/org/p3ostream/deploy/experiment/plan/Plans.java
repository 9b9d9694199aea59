package org.p3ostream.deploy.experiment.plan;

/** Plans that tests are about. */
public final class Plans {

  /** Two scenarios, three algorithms, two seeds, thirty steps. */
  public static final String YAML =
      """
      name: study
      title: A study
      question: What is it like?
      task: csum8
      steps: 30
      seeds: [1, 2]
      baseline: grpo
      heldOut: {prompts: 16, evaluations: 2, everySteps: 10}
      gate: {rewardMargin: 0.1}
      settings:
        optimizer.learningRate: 1e-3
        sampling.maxResponseTokens: 12
      scenarios:
        - name: fresh
          settings: {dispatch.maxStaleness: 0}
          expect: {essMin: 0.99}
        - name: lag2
          title: lag 2
          settings: {dispatch.maxStaleness: 2}
          expect: {stalenessMin: 2, stalenessMax: 2, fromStep: 2}
      algorithms:
        - {name: grpo, title: GRPO, settings: {algorithm.name: grpo}}
        - {name: p3o, title: P3O, settings: {algorithm.name: p3o}}
        - {name: cap, settings: {algorithm.name: p3o, algorithm.klMode: none}}
      """;

  private Plans() {}

  public static ExperimentPlan study() {
    return PlanReader.read("study.yaml", YAML);
  }

  /** The same with one text in the place of another. */
  public static ExperimentPlan study(String old, String other) {
    return PlanReader.read("study.yaml", with(old, other));
  }

  static String with(String old, String other) {
    if (!YAML.contains(old)) {
      throw new IllegalArgumentException("not in the plan: " + old);
    }
    return YAML.replace(old, other);
  }
}
