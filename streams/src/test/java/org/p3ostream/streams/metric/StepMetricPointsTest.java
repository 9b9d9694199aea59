package org.p3ostream.streams.metric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;
import static org.p3ostream.streams.fixture.Records.event;
import static org.p3ostream.streams.fixture.Records.metrics;
import static org.p3ostream.streams.fixture.Records.sampled;
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
            entry("train/p3o/ess", 0.95 * 120),
            entry("train/p3o/normalized_ess", 0.95),
            entry("train/p3o/adaptive_cap", 1.05),
            entry("train/p3o/policy_ratio_mean", 1.01),
            entry("train/p3o/policy_ratio_max", 1.9),
            entry("train/p3o/policy_ratio_std", 0.21),
            entry("train/p3o/cap_fraction", 0.31),
            entry("train/p3o/ratio_above_one_fraction", 0.41),
            entry("train/p3o/behavior_kl_proxy_mean", 0.02),
            entry("train/p3o/adaptive_kl_loss_mean", 0.001),
            entry("train/actor_optimizer_step", 4.0),
            entry("train/ppo/policy_loss", -0.14),
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
        .doesNotContainKeys(
            "train/p3o/adaptive_cap", "train/p3o/cap_fraction", "train/p3o/adaptive_kl_loss_mean");
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
  void ofReportsLagAndAgesWhereTheLearnerSawThem() {
    StepEvent event =
        step(4)
            .setMetrics(
                StepMetrics.newBuilder(metrics(0.5))
                    .setApproxKl(-0.05)
                    .setLagWindows(3)
                    .setRolloutPolicyAgeWindows(1.5)
                    .setAgeGenerationSeconds(0.01)
                    .setAgeQueueSeconds(0.2)
                    .setAgeHoldBackSeconds(0.1)
                    .build())
            .build();

    assertThat(values(event))
        .contains(
            entry("train/ppo/approx_kl", -0.05),
            entry("rollout/lag_windows", 3.0),
            entry("train/p3o/rollout_policy_age_rollouts", 1.5),
            entry("train/age_generation_seconds", 0.01),
            entry("train/age_queue_seconds", 0.2),
            entry("train/age_hold_back_seconds", 0.1));
  }

  @Test
  void ofComputesStalenessFromTheTokensOfEachVersion() {
    StepEvent event = step(5).setRatioStatistics(sampled(2, 5, 4, 10, 5, 5)).build();

    assertThat(StepMetricPoints.of(event))
        .filteredOn(point -> !point.getName().equals("train/staleness_tokens"))
        .extracting(MetricPoint::getName, MetricPoint::getValue)
        .contains(
            tuple("train/staleness_min", 0.0),
            tuple("train/staleness_mean", 1.25),
            tuple("train/staleness_p50", 1.0),
            tuple("train/staleness_p95", 3.0),
            tuple("train/staleness_max", 3.0),
            tuple("train/actor_optimizer_step", 5.0),
            tuple("train/rollout_policy_snapshot_step", 3.75),
            tuple("train/p3o/rollout_policy_lag_steps", 1.25));
    assertThat(StepMetricPoints.of(event))
        .filteredOn(point -> point.getName().equals("train/staleness_tokens"))
        .extracting(MetricPoint::getLabels, MetricPoint::getValue)
        .containsExactly(
            tuple(Map.of("staleness", "0"), 5.0),
            tuple(Map.of("staleness", "1"), 10.0),
            tuple(Map.of("staleness", "3"), 5.0));
  }

  @Test
  void ofCarriesRunStepUnitAndTime() {
    MetricPoint point = StepMetricPoints.of(step(4).build()).get(0);

    assertThat(point.getRunId()).isEqualTo(Records.RUN);
    assertThat(point.getStep()).isEqualTo(4);
    assertThat(point.getUnit()).isEqualTo("tokens");
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
