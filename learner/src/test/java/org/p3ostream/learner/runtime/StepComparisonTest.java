package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.learner.train.TrainedWindow;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;

class StepComparisonTest {
  private static final List<VersionRatioStatistics> RATIOS =
      List.of(new VersionRatioStatistics(3L, 0.5, 0.25, 7L));

  private final StepMetrics.Builder metrics =
      StepEvents.metrics().setPolicyTemperature("model").setKlMode("exact");
  private final StepEvent event = event(metrics.build());

  @Test
  void theSameBitsAreNoDifference() {
    assertThat(differences(event, metrics.build(), RATIOS, "w")).isEmpty();
    StepMetrics notANumber = StepMetrics.newBuilder(metrics).setLoss(Double.NaN).build();
    assertThat(differences(event(notANumber), notANumber, RATIOS, "w")).isEmpty();
  }

  @Test
  void everyOtherBitIsNamedWithBothValues() {
    StepMetrics next =
        StepMetrics.newBuilder(metrics).setLoss(Math.nextUp(metrics.getLoss())).build();
    assertThat(differences(event, next, RATIOS, "v"))
        .containsExactly(
            new Difference("weightsSha256", "w", "v"),
            new Difference(
                "metrics.loss", "" + metrics.getLoss(), "" + Math.nextUp(metrics.getLoss())));
    StepMetrics negativeZero = StepMetrics.newBuilder(metrics).setAdaptiveKlLossMean(-0.0).build();
    StepMetrics zero = StepMetrics.newBuilder(metrics).setAdaptiveKlLossMean(0.0).build();
    assertThat(differences(event(zero), negativeZero, RATIOS, "w")).hasSize(1);
  }

  @Test
  void ratioStatisticsAreComparedVersionByVersion() {
    VersionRatioStatistics other = new VersionRatioStatistics(3L, 0.5, 0.26, 7L);
    assertThat(differences(event, metrics.build(), List.of(other), "w"))
        .containsExactly(new Difference("ratioStatistics[0].logSumSquaredRatio", "0.25", "0.26"));
    assertThat(differences(event, metrics.build(), List.of(), "w"))
        .containsExactly(new Difference("ratioStatistics[0]", "there", "none"));
  }

  @Test
  void whatDependsOnTheMomentIsNotCompared() {
    StepMetrics elsewhere =
        StepMetrics.newBuilder(metrics)
            .setAgeMeanSeconds(1e6)
            .setAgeGenerationSeconds(2.0)
            .setAgeQueueSeconds(3.0)
            .setAgeHoldBackSeconds(4.0)
            .setLagWindows(5)
            .setRolloutPolicyAgeWindows(6.0)
            .build();
    assertThat(differences(event, elsewhere, RATIOS, "w")).isEmpty();
    assertThat(differences(event(elsewhere), metrics.build(), RATIOS, "w")).isEmpty();
  }

  @Test
  void whatIsRecordedOfEveryStepSinceThenIsComparedWhereItIsRecorded() {
    StepMetrics found =
        StepMetrics.newBuilder(metrics).setStalenessP50(1L).setApproxKl(0.5).build();
    assertThat(differences(event, found, RATIOS, "w")).isEmpty();
    StepMetrics recorded =
        StepMetrics.newBuilder(metrics).setStalenessP50(2L).setApproxKl(0.25).build();
    assertThat(differences(event(recorded), found, RATIOS, "w"))
        .containsExactly(
            new Difference("metrics.stalenessP50", "2", "1"),
            new Difference("metrics.approxKl", "0.25", "0.5"));
  }

  @Test
  void whatCameLaterIsNotComparedWithMetricsFromBeforeIt() {
    StepMetrics old =
        StepMetrics.newBuilder(metrics).setPolicyTemperature(null).setKlMode(null).build();
    assertThat(differences(event(old), metrics.build(), RATIOS, "w")).isEmpty();
    StepMetrics withoutMode = StepMetrics.newBuilder(metrics).setKlMode(null).build();
    assertThat(differences(event(withoutMode), metrics.build(), RATIOS, "w"))
        .containsExactly(new Difference("metrics.klMode", "null", "exact"));
  }

  private static StepEvent event(StepMetrics metrics) {
    return StepEvents.event(StepKind.STEP, 4, 4, "h")
        .setWeightsSha256("w")
        .setMetrics(metrics)
        .setRatioStatistics(RATIOS)
        .build();
  }

  private static List<Difference> differences(
      StepEvent event, StepMetrics found, List<VersionRatioStatistics> ratios, String weights) {
    return StepComparison.differences(event, new TrainedWindow(found, ratios, 1, 2), weights);
  }
}
