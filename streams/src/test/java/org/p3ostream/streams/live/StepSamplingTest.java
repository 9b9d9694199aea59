package org.p3ostream.streams.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.streams.fixture.Records;

class StepSamplingTest {

  @Test
  void chooseTakesAllStepsWhenTheyAreFewEnough() {
    List<StepView> steps = steps(1000);

    assertThat(StepSampling.choose(steps, 1000)).isEqualTo(steps);
  }

  @Test
  void chooseTakesNoMoreThanItMayInOrderWithTheFirstAndTheNewest() {
    List<Long> chosen = chosen(StepSampling.choose(steps(10_000), 1000));

    assertThat(chosen).hasSizeBetween(100, 1000).isSorted().doesNotHaveDuplicates();
    assertThat(chosen.get(0)).isZero();
    assertThat(chosen.subList(chosen.size() - StepSampling.NEWEST, chosen.size()))
        .isEqualTo(LongStream.range(9990, 10_000).boxed().toList());
  }

  @Test
  void chooseLosesNoSpikeOfWhatIsLookedForInAPlot() {
    List<StepView> steps = new ArrayList<>(steps(10_000));
    steps.set(4321, step(4321, Records.metrics(9)));
    steps.set(5432, step(5432, Records.metrics(-9)));
    steps.set(6543, step(6543, with(m -> m.setNormalizedEss(0.01))));
    steps.set(7654, step(7654, with(m -> m.setRatioMax(1e6))));
    steps.set(8765, step(8765, with(m -> m.setGradNorm(77))));
    steps.set(1234, step(1234, with(m -> m.setStalenessMax(50))));
    steps.set(2345, step(2345, with(m -> m.setBehaviorKlProxyMean(3))));

    assertThat(chosen(StepSampling.choose(steps, 200)))
        .hasSizeLessThanOrEqualTo(200)
        .contains(4321L, 5432L, 6543L, 7654L, 8765L, 1234L, 2345L);
  }

  @Test
  void chooseThrowsWhenThereIsNoRoomForOneStretch() {
    assertThatThrownBy(() -> StepSampling.choose(steps(100), StepSampling.FEWEST - 1))
        .hasMessage("most: 19 must be >= 20");
  }

  @Test
  void meansOfTenAreTakenOverAllStepsBeforeAnyAreLeftOut() {
    List<StepView> steps = new ArrayList<>();
    for (long i = 0; i < 12; i++) {
      steps.add(step(i, Records.metrics(i)));
    }

    assertThat(StepMeans.reward(steps).get(0)).isEqualTo(0);
    assertThat(StepMeans.reward(steps).get(11)).isEqualTo((2 + 11) / 2.0);
    assertThat(StepMeans.tokensPerSecond(steps).get(0)).isNull();
    assertThat(StepMeans.tokensPerSecond(steps).get(11)).isEqualTo(1000.0 * 120 / 50);
  }

  private static List<StepView> steps(int count) {
    return LongStream.range(0, count).mapToObj(i -> step(i, Records.metrics(0.5))).toList();
  }

  private static StepView step(long step, StepMetrics metrics) {
    return StepView.of(
        Records.step(step).setMetrics(metrics).setCommittedAt(Records.NOW + 50 * step).build(),
        0,
        step == 0 ? null : Records.NOW + 50 * (step - 1));
  }

  private static StepMetrics with(
      java.util.function.Function<StepMetrics.Builder, StepMetrics.Builder> change) {
    return change.apply(StepMetrics.newBuilder(Records.metrics(0.5))).build();
  }

  private static List<Long> chosen(List<StepView> steps) {
    return steps.stream().map(StepView::step).toList();
  }
}
