package org.p3ostream.deploy.experiment.outcome;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.p3ostream.deploy.experiment.plan.GateRules;

class RunFiguresTest {

  private static final GateRules RULES = GateRules.defaults();

  @Test
  void figuresAreOverTheStepsThatHaveThem() {
    RunFigures figures = new RunFigures(Results.good("p3o", 1, 0.8), RULES);
    assertThat(Measure.FINAL_REWARD.of(figures)).isCloseTo(0.3 + 0.245, within(1e-12));
    assertThat(Measure.HELD_OUT.of(figures)).isCloseTo(0.8, within(1e-12));
    assertThat(Measure.GAIN.of(figures)).isCloseTo(0.5, within(1e-12));
    assertThat(Measure.KL_MAX.of(figures)).isEqualTo(0.002);
    assertThat(Measure.KL_TOKEN_MAX.of(figures)).isEqualTo(0.03);
    assertThat(Measure.CAP_MEAN.of(figures)).isNull();
    assertThat(Measure.STALENESS.of(figures)).isCloseTo((0 + 1 + 28 * 2) / 30.0, within(1e-12));
    assertThat(Measure.TRAINED_RATE.of(figures)).isEqualTo(500);
    assertThat(Measure.PEAK_MEMORY.of(figures)).isEqualTo(300);
  }

  @Test
  void gradientNormIsTheLargestOfAnyStep() {
    List<StepFigures> steps =
        Results.with(Results.steps(30, 2), 4, step -> Results.figures(step, 0.4, 2682));
    RunFigures figures = figures(steps, 0.8);
    assertThat(Measure.GRAD_NORM_MAX.of(figures)).isEqualTo(2682);
    assertThat(Measure.ESS_MIN.of(figures)).isEqualTo(0.4);
  }

  /** Warm start 0.3; rewards are 0.3 to 0.59. */
  @ParameterizedTest
  @CsvSource({"0.8, 0", "0.25, 0", "0.2499, 1"})
  void runHasCollapsedIfItIsBelowItsWarmStart(double heldOut, double collapsed) {
    assertThat(figures(Results.steps(30, 2), heldOut).collapsed()).isEqualTo(collapsed);
  }

  /** Ten steps at 0.8, then ten at what is given; the held-out reward stays. */
  @ParameterizedTest
  @CsvSource({"0.41, 0", "0.39, 1"})
  void runHasCollapsedIfItEndsBelowHalfOfItsBest(double last, double collapsed) {
    List<StepFigures> steps = new ArrayList<>();
    Stream.iterate(0, i -> i + 1)
        .limit(20)
        .forEach(i -> steps.add(Results.step(i, 2, i < 10 ? 0.8 : last)));
    assertThat(figures(steps, 0.8).collapsed()).isEqualTo(collapsed);
  }

  @ParameterizedTest
  @EnumSource(Measure.class)
  void runWithoutAnythingHasNoFigures(Measure measure) {
    RunFigures nothing =
        new RunFigures(Results.of("lag2", "p3o", 1, "failed", 0, List.of()), RULES);
    assertThat(measure.of(nothing) == null).isEqualTo(!measure.isCost());
  }

  private static RunFigures figures(List<StepFigures> steps, double heldOut) {
    return new RunFigures(Results.of("lag2", "p3o", 1, null, heldOut, steps), RULES);
  }
}
