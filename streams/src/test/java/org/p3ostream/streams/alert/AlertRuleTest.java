package org.p3ostream.streams.alert;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.streams.alert.Alert.State;
import org.p3ostream.streams.alert.Observation.ProducerSilence;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.live.RunState;
import org.p3ostream.streams.live.StepLogs;
import org.p3ostream.streams.live.StepView;

class AlertRuleTest {
  private static final long NOW = Records.NOW;

  @Test
  void nothingFiresWhenARunIsWell() {
    List<Alert> alerts =
        AlertRule.evaluateAll(
            seen(RunState.RUNNING, steps(12, m -> m), 2L, List.of(silent("1", 0.4)), 0));

    assertThat(alerts).hasSize(5).allMatch(alert -> alert.state() == State.OK);
    assertThat(alerts).allMatch(alert -> alert.value() != null && alert.threshold() != null);
  }

  @Test
  void whatNobodyKnowsIsUnknownAndNotWell() {
    List<Alert> alerts =
        AlertRule.evaluateAll(
            new Observation(NOW, RunState.WAITING, List.of(), null, null, null, 0));

    assertThat(alerts)
        .extracting(Alert::state)
        .containsExactly(State.UNKNOWN, State.UNKNOWN, State.UNKNOWN, State.UNKNOWN, State.OK);
  }

  @Test
  void essCollapseFiresWhenTheMeanOfTheNewestTenIsBelowOneHalf() {
    assertThat(ess(0.5).state()).isEqualTo(State.OK);

    Alert low = ess(0.375);

    assertThat(low.state()).isEqualTo(State.FIRING);
    assertThat(low.value()).isEqualTo(0.375);
    assertThat(low.detail()).startsWith("normalised ESS 0.375, mean of the newest 10 steps");
  }

  @Test
  void essCollapseForgetsWhatIsOlderThanTenSteps() {
    List<StepView> steps = new java.util.ArrayList<>(steps(15, m -> m.setNormalizedEss(0.01)));
    steps.addAll(steps(10, m -> m.setNormalizedEss(0.9)));

    assertThat(AlertRule.ESS_COLLAPSE.evaluate(seen(RunState.RUNNING, steps, 1L, null, 0)).state())
        .isEqualTo(State.OK);
  }

  @Test
  void stalenessFiresAboveTheBoundAndNotAtIt() {
    List<StepView> steps = steps(2, m -> m.setStalenessMax(3));

    assertThat(staleness(steps, 3L)).isEqualTo(State.OK);
    assertThat(staleness(steps, 2L)).isEqualTo(State.FIRING);
    assertThat(staleness(steps, null)).isEqualTo(State.UNKNOWN);
  }

  @Test
  void producerSilentFiresWhileTheRunIsNotOverAndNamesWho() {
    List<ProducerSilence> producers =
        List.of(silent("a", 60), silent("b", 61), new ProducerSilence("c", null));

    Alert alert = producers(RunState.RUNNING, producers);

    assertThat(alert.state()).isEqualTo(State.FIRING);
    assertThat(alert.detail()).isEqualTo("longest silence 61 s, nothing from b; may be 60 s");
    assertThat(producers(RunState.FINISHED, producers).state()).isEqualTo(State.OK);
    assertThat(producers(RunState.RUNNING, List.of(silent("a", 60))).state()).isEqualTo(State.OK);
    assertThat(producers(RunState.RUNNING, List.of()).state()).isEqualTo(State.UNKNOWN);
  }

  @Test
  void learnerStalledFollowsTheStateOfTheRun() {
    List<StepView> steps = steps(3, m -> m);

    for (RunState state : RunState.values()) {
      assertThat(AlertRule.LEARNER_STALLED.evaluate(seen(state, steps, 1L, null, 0)).state())
          .isEqualTo(state == RunState.STALLED ? State.FIRING : State.OK);
    }
  }

  @Test
  void deadLettersFireFromFiveOn() {
    assertThat(deadLetters(4)).isEqualTo(State.OK);
    assertThat(deadLetters(5)).isEqualTo(State.FIRING);
  }

  private static Alert ess(double value) {
    return AlertRule.ESS_COLLAPSE.evaluate(
        seen(RunState.RUNNING, steps(12, m -> m.setNormalizedEss(value)), 1L, null, 0));
  }

  private static State staleness(List<StepView> steps, @Nullable Long bound) {
    return AlertRule.STALENESS_ABOVE_BOUND
        .evaluate(seen(RunState.RUNNING, steps, bound, null, 0))
        .state();
  }

  private static Alert producers(RunState state, List<ProducerSilence> producers) {
    return AlertRule.PRODUCER_SILENT.evaluate(seen(state, steps(1, m -> m), 1L, producers, 0));
  }

  private static State deadLetters(int count) {
    return AlertRule.DEAD_LETTERS_RISING
        .evaluate(seen(RunState.RUNNING, List.of(), 1L, null, count))
        .state();
  }

  private static ProducerSilence silent(String id, double seconds) {
    return new ProducerSilence(id, seconds);
  }

  private static Observation seen(
      RunState state,
      List<StepView> newest,
      @Nullable Long bound,
      @Nullable List<ProducerSilence> producers,
      int deadLetters) {
    return new Observation(NOW, state, newest, NOW, bound, producers, deadLetters);
  }

  private static List<StepView> steps(int count, UnaryOperator<StepMetrics.Builder> change) {
    return LongStream.range(0, count)
        .mapToObj(
            step ->
                StepLogs.view(
                    Records.step(step)
                        .setMetrics(
                            change.apply(StepMetrics.newBuilder(Records.metrics(0.5))).build())
                        .build()))
        .toList();
  }
}
