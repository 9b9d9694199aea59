package org.p3ostream.streams.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.p3ostream.streams.fixture.Records.event;
import static org.p3ostream.streams.fixture.Records.metrics;
import static org.p3ostream.streams.fixture.Records.step;
import static org.p3ostream.streams.fixture.Records.window;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.streams.fixture.Records;

class StepMetricPointsTest {

  @Test
  void ofReportsEveryValueOfTheLearnerUnderItsName() {
    StepEvent event = step(4).build();

    assertThat(values(event))
        .containsOnly(
            entry("train/p3o/normalized_ess", 0.95),
            entry("train/p3o/adaptive_cap", 1.05),
            entry("train/p3o/policy_ratio_mean", 1.01),
            entry("train/p3o/policy_ratio_max", 1.9),
            entry("train/p3o/policy_ratio_std", 0.21),
            entry("train/p3o/cap_fraction", 0.31),
            entry("train/p3o/ratio_above_one_fraction", 0.41),
            entry("train/p3o/behavior_kl_proxy_mean", 0.02),
            entry("train/loss", -0.13),
            entry("train/grad_norm", 0.7),
            entry("train/learning_rate", 0.001),
            entry("train/num_valid_tokens", 120.0),
            entry("train/age_mean_seconds", 0.3),
            entry("rollout/response_length_mean", 7.5),
            entry("rollout/truncated_fraction", 0.12));
  }

  @Test
  void ofReportsTheClipAndNoCapWhenTheAlgorithmClips() {
    StepEvent event =
        step(4)
            .setMetrics(
                StepMetrics.newBuilder(metrics(0.5))
                    .setAdaptiveCap(null)
                    .setCapFraction(null)
                    .setClipFraction(0.25)
                    .build())
            .build();

    assertThat(values(event))
        .containsEntry("train/ppo/clip_fraction", 0.25)
        .doesNotContainKeys("train/p3o/adaptive_cap", "train/p3o/cap_fraction");
  }

  @Test
  void ofReportsWhatWasRecomputedAndWhatTheTermsMeasure() {
    StepEvent event =
        step(4)
            .setMetrics(
                StepMetrics.newBuilder(metrics(0.5))
                    .setBehaviorKlExactMean(0.03)
                    .setBehaviorLogprobGaps(
                        List.of(
                            new BehaviorLogprobGap("1", 60L, 1e-7, 4e-7, 5e-7),
                            new BehaviorLogprobGap("2", 60L, 2e-7, 3e-7, 6e-7)))
                    .setKeptSetMismatches(0L)
                    .setEntropyMean(1.5)
                    .setReferenceKlMean(0.04)
                    .build())
            .build();

    assertThat(values(event))
        .contains(
            entry("train/p3o/behavior_kl_exact_mean", 0.03),
            entry("train/audit/behavior_logprob_gap_mean", 2e-7),
            entry("train/audit/behavior_logprob_gap_p99", 4e-7),
            entry("train/audit/behavior_logprob_gap_max", 6e-7),
            entry("train/kept_set_mismatches", 0.0),
            entry("train/entropy_mean", 1.5),
            entry("train/reference_kl_mean", 0.04));
  }

  @Test
  void ofComputesStalenessFromTheVersionsOfTheWindow() {
    StepEvent event = step(5).setWindow(window(5, 4, 4, 2)).build();

    assertThat(values(event))
        .contains(
            entry("train/staleness_min", 0.0),
            entry("train/staleness_mean", 1.25),
            entry("train/staleness_p95", 3.0),
            entry("train/staleness_max", 3.0));
  }

  @Test
  void ofCarriesRunStepUnitAndTime() {
    MetricPoint point = StepMetricPoints.of(step(4).build()).get(0);

    assertThat(point.getRunId()).isEqualTo(Records.RUN);
    assertThat(point.getStep()).isEqualTo(4);
    assertThat(point.getUnit()).isEqualTo("1");
    assertThat(point.getEventTime()).isEqualTo(Records.NOW);
  }

  @ParameterizedTest
  @EnumSource(value = StepKind.class, mode = EnumSource.Mode.EXCLUDE, names = "STEP")
  void ofIsEmptyWhenNothingWasTrained(StepKind kind) {
    assertThat(StepMetricPoints.of(event(kind, 3).setWindow(window(1, 2)).build())).isEmpty();
  }

  private static Map<String, Double> values(StepEvent event) {
    return StepMetricPoints.of(event).stream()
        .collect(Collectors.toMap(MetricPoint::getName, MetricPoint::getValue));
  }
}
