package org.p3ostream.deploy.experiment.outcome;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.experiment.plan.Plans;

class GateTest {

  private final Gate gate = new Gate(Plans.study());

  @Test
  void judgePassesARunThatIsWhatItsScenarioSaysAndHasLearnt() {
    Verdict verdict = gate.judge(Results.good("p3o", 1, 0.8));
    assertThat(verdict.passed()).isTrue();
    assertThat(verdict.failures()).isEmpty();
    assertThat(verdict.execution())
        .extracting(Check::name)
        .containsExactly("ended", "steps", "audit", "finite", "staleness");
    assertThat(verdict.quality()).extracting(Check::name).containsExactly("learnt");
  }

  @Test
  void judgeTellsExecutionAndQualityApart() {
    Verdict notLearnt = gate.judge(Results.good("p3o", 1, 0.399));
    assertThat(notLearnt.executed()).isTrue();
    assertThat(notLearnt.learnt()).isFalse();
    assertThat(notLearnt.failures())
        .isEqualTo("NOT learnt (held-out 0.300 -> 0.399, at least 0.400)");
    assertThat(gate.judge(Results.good("p3o", 1, 0.4)).passed()).isTrue();
  }

  @Test
  void judgeFailsARunThatEndedEarlyAndSaysWhy() {
    Verdict verdict =
        gate.judge(
            Results.of("lag2", "p3o", 1, "learner: loss NaN\nmore", 0, Results.steps(12, 2)));
    assertThat(verdict.executed()).isFalse();
    assertThat(verdict.learnt()).isFalse();
    assertThat(verdict.failures())
        .isEqualTo(
            "NOT ended (learner: loss NaN); NOT steps (12 of 30); NOT audit (not made);"
                + " NOT learnt (not evaluated)");
  }

  @Test
  void judgeFailsALedgerThatLeavesAStepOut() {
    List<StepFigures> steps = Results.steps(31, 2);
    steps.remove(7);
    assertThat(failures("lag2", steps)).isEqualTo("NOT steps (30 of 30)");
  }

  @Test
  void judgeFailsAnAuditThatFoundSomething() {
    RunResult run = Results.good("p3o", 1, 0.8);
    RunResult lost =
        new RunResult(
            run.format(),
            run.id(),
            run.scenario(),
            run.algorithm(),
            run.seed(),
            null,
            run.warmStartReward(),
            run.evaluations(),
            new Audited(30, 2, List.of("LOST x.rollouts: group 7", "LOST x.rollouts: group 8")),
            run.steps(),
            run.trace(),
            run.cost());
    assertThat(gate.judge(lost).failures())
        .isEqualTo("NOT audit (2 problems: LOST x.rollouts: group 7)");
  }

  @Test
  void judgeFailsAFigureThatIsNotFinite() {
    List<StepFigures> steps =
        Results.with(
            Results.steps(30, 2), 4, step -> Results.figures(step, 0.9, Double.POSITIVE_INFINITY));
    assertThat(failures("lag2", steps)).isEqualTo("NOT finite (step 4: gradNorm Infinity)");
  }

  @Test
  void judgeHoldsStalenessToBothBoundsExactly() {
    List<StepFigures> steps = Results.steps(30, 2);
    assertThat(failures("lag2", steps)).isEmpty();
    assertThat(failures("lag2", Results.with(steps, 9, s -> Results.stale(s, 1, 2))))
        .isEqualTo("NOT staleness (1 to 2 from step 2, expected 2)");
    assertThat(failures("lag2", Results.with(steps, 9, s -> Results.stale(s, 2, 3))))
        .isEqualTo("NOT staleness (2 to 3 from step 2, expected 2, more before that)");
    assertThat(failures("lag2", Results.with(steps, 1, s -> Results.stale(s, 1, 4))))
        .isEqualTo("NOT staleness (2 from step 2, expected 2, more before that)");
    assertThat(failures("lag2", Results.steps(30, 1)))
        .isEqualTo("NOT staleness (1 from step 2, expected 2)");
  }

  @Test
  void judgeHoldsEveryStepToTheLeastEss() {
    List<StepFigures> steps = Results.steps(30, 0);
    assertThat(failures("fresh", steps)).isEmpty();
    assertThat(failures("fresh", Results.with(steps, 3, s -> Results.figures(s, 0.989, 1))))
        .isEqualTo("NOT ESS (lowest 0.989, at step 3; at least 0.990)");
  }

  private String failures(String scenario, List<StepFigures> steps) {
    return gate.judge(Results.of(scenario, "p3o", 1, null, 0.8, steps)).failures();
  }
}
