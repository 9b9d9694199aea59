package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.streams.fixture.Records.event;
import static org.p3ostream.streams.fixture.Records.progress;
import static org.p3ostream.streams.fixture.Records.rollout;
import static org.p3ostream.streams.fixture.Records.sampled;
import static org.p3ostream.streams.fixture.Records.skipped;
import static org.p3ostream.streams.fixture.Records.step;
import static org.p3ostream.streams.fixture.Records.trained;
import static org.p3ostream.streams.fixture.Records.window;
import static org.p3ostream.streams.metric.Metric.LAG_RECORDS;
import static org.p3ostream.streams.metric.Metric.LAG_SECONDS;
import static org.p3ostream.streams.metric.Metric.NORMALIZED_ESS;
import static org.p3ostream.streams.metric.Metric.REWARD_MEAN;
import static org.p3ostream.streams.metric.Metric.STALENESS_MAX;
import static org.p3ostream.streams.metric.Metric.STALENESS_MEAN;
import static org.p3ostream.streams.metric.Metric.STALENESS_MIN;
import static org.p3ostream.streams.metric.Metric.STALENESS_P95;

import java.util.List;
import org.apache.kafka.streams.state.StoreBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.topology.TopologyUnderTest.Value;

class MetricsTopologyTest {
  private final TopologyUnderTest topology = new TopologyUnderTest();

  @AfterEach
  void close() {
    topology.close();
  }

  @Test
  void stalenessIsOfTheTokensTrainedWhenAStepIsCommitted() {
    topology.step(step(6).setRatioStatistics(sampled(3, 5, 5, 10, 6, 5)).build());

    assertThat(topology.values(STALENESS_MIN, STALENESS_MEAN, STALENESS_P95, STALENESS_MAX))
        .containsExactly(
            Value.of(STALENESS_MIN, 6, 0),
            Value.of(STALENESS_MEAN, 6, 1.25),
            Value.of(STALENESS_P95, 6, 3),
            Value.of(STALENESS_MAX, 6, 3));
  }

  @Test
  void learnersReportIsWrittenAtOnceEvenWhenItsRolloutsAreNotThereYet() {
    topology.step(step(0).setWindow(window(0)).setProgress(progress(1)).build());

    assertThat(topology.values(NORMALIZED_ESS, REWARD_MEAN))
        .containsExactly(Value.of(NORMALIZED_ESS, 0, 0.95));
  }

  @Test
  void rewardIsTheMeanOverResponsesOfTheRecordsOfTheWindow() {
    topology.rollout(rollout(0, 0, 1, 1, 1));
    topology.rollout(rollout(1, 0, 0));
    topology.rollout(rollout(2, 0, 100));
    topology.step(step(0).setWindow(window(0, 0)).setProgress(progress(2)).build());

    assertThat(topology.values(REWARD_MEAN)).containsExactly(Value.of(REWARD_MEAN, 0, 0.75));
  }

  @Test
  void rewardCountsAGroupOnceWhenItArrivesTwice() {
    topology.rollout(rollout(0, 0, 1));
    topology.rollout(rollout(0, 0, 1));
    topology.rollout(rollout(1, 0, 0));
    topology.step(
        step(0)
            .setWindow(List.of(trained(0, 0, 0), trained(2, 1, 0)))
            .setSkipped(List.of(skipped(1, RejectionReason.DUPLICATE)))
            .setProgress(progress(3))
            .build());

    assertThat(topology.values(REWARD_MEAN, LAG_RECORDS))
        .containsExactly(Value.of(REWARD_MEAN, 0, 0.5), Value.of(LAG_RECORDS, 0, 0));
  }

  @Test
  void rewardIsOfTheAttemptTrainedWhenAnEarlierOneWasRejected() {
    topology.rollout(rollout(0, 0, Double.NaN));
    topology.rollout(rollout(0, 1, 1));
    topology.step(
        step(0)
            .setWindow(List.of(trained(1, 0, 0)))
            .setSkipped(List.of(skipped(0, RejectionReason.NON_FINITE)))
            .setProgress(progress(2))
            .build());

    assertThat(topology.values(REWARD_MEAN)).containsExactly(Value.of(REWARD_MEAN, 0, 1));
  }

  @Test
  void rewardWaitsUntilTheWindowsRecordsArriveWhenTheStepOvertakesThem() {
    topology.step(step(0).setWindow(window(0, 0)).setProgress(progress(2)).build());
    topology.rollout(rollout(0, 0, 1));
    assertThat(topology.values(REWARD_MEAN, LAG_RECORDS)).isEmpty();

    topology.rollout(rollout(1, 0, 0));

    assertThat(topology.values(REWARD_MEAN, LAG_RECORDS))
        .containsExactly(Value.of(REWARD_MEAN, 0, 0.5), Value.of(LAG_RECORDS, 0, 0));
  }

  @Test
  void stepsAreSettledInTheirOrderWhenAnEarlierOneMustWait() {
    topology.rollout(rollout(0, 0, 1));
    topology.step(
        step(0).setWindow(List.of(trained(1, 1, 0))).setProgress(progress(0, 1L)).build());
    topology.step(step(1).setWindow(List.of(trained(0, 0, 0))).setProgress(progress(2)).build());
    assertThat(topology.values(LAG_RECORDS)).isEmpty();

    topology.rollout(rollout(1, 0, 0));

    assertThat(topology.values(LAG_RECORDS))
        .containsExactly(Value.of(LAG_RECORDS, 0, 1), Value.of(LAG_RECORDS, 1, 0));
  }

  @Test
  void waitingStepIsSettledWithoutRewardWhenItsRecordsWereTrimmed() {
    topology.step(step(0).setWindow(window(0)).setProgress(progress(1)).build());
    topology.passTime(WindowAccounting.MISSING_AFTER.minusSeconds(5));
    assertThat(topology.values(LAG_RECORDS)).isEmpty();

    topology.passTime(WindowAccounting.MISSING_AFTER);

    assertThat(topology.values(REWARD_MEAN, LAG_RECORDS))
        .containsExactly(Value.of(LAG_RECORDS, 0, 0));
  }

  @Test
  void waitingStepIsSettledWithoutRewardWhenOnlyPartOfItsWindowIsLeft() {
    topology.rollout(rollout(0, 0, 1));
    topology.step(step(0).setWindow(window(0, 0)).setProgress(progress(2)).build());
    topology.passTime(WindowAccounting.MISSING_AFTER);

    assertThat(topology.values(REWARD_MEAN, LAG_RECORDS))
        .containsExactly(Value.of(LAG_RECORDS, 0, 0));
  }

  @Test
  void waitingStepWaitsOnWhenOtherRecordsKeepComing() {
    topology.step(step(0).setWindow(window(0, 0, 0, 0)).setProgress(progress(4)).build());
    for (long group = 0; group < 3; group++) {
      topology.rollout(rollout(group, 0, 1));
      topology.passTime(WindowAccounting.MISSING_AFTER.minusSeconds(5));
    }
    assertThat(topology.values(LAG_RECORDS)).isEmpty();

    topology.rollout(rollout(3, 0, 0));

    assertThat(topology.values(REWARD_MEAN)).containsExactly(Value.of(REWARD_MEAN, 0, 0.75));
  }

  @Test
  void lagCountsVisibleRecordsThatProgressDoesNotCover() {
    for (long group = 0; group < 5; group++) {
      topology.rollout(rollout(group, 0, 1));
    }
    topology.step(
        step(0)
            .setWindow(List.of(trained(0, 0, 0), trained(3, 3, 0)))
            .setProgress(progress(1, 3L))
            .build());

    assertThat(topology.values(LAG_RECORDS)).containsExactly(Value.of(LAG_RECORDS, 0, 3));
  }

  @Test
  void lagCountsARecordThatHasNoKey() {
    topology.rolloutWithoutKey(rollout(0, 0, 1));
    topology.step(step(0).setProgress(progress(0)).build());

    assertThat(topology.values(LAG_RECORDS)).containsExactly(Value.of(LAG_RECORDS, 0, 1));
  }

  @Test
  void lagIsNoOffsetDifferenceWhenTheTopicHasHoles() {
    topology.rollout(rollout(0, 0, 1));
    topology.step(step(0).setWindow(window(0)).setProgress(progress(17)).build());

    assertThat(topology.values(LAG_RECORDS)).containsExactly(Value.of(LAG_RECORDS, 0, 0));
  }

  @Test
  void lagFallsWhenAnInterimEventSkipsRecords() {
    topology.rollout(rollout(0, 0, 1));
    topology.rollout(rollout(1, 0, 1));
    topology.step(
        event(StepKind.INTERIM, 4)
            .setSkipped(List.of(skipped(0, RejectionReason.NOT_DISPATCHED)))
            .setProgress(progress(1))
            .build());

    assertThat(topology.values(LAG_RECORDS)).containsExactly(Value.of(LAG_RECORDS, 4, 1));
  }

  @Test
  void interimEventHasNoTrainingMetrics() {
    topology.step(event(StepKind.INTERIM, 4).setProgress(progress(0)).build());

    assertThat(topology.points())
        .extracting(MetricPoint::getName)
        .containsExactly(LAG_RECORDS.metricName(), LAG_SECONDS.metricName());
  }

  @Test
  void noOpStepHasNothingThatTrainingGives() {
    topology.rollout(rollout(0, 0, 1, 0));
    topology.step(event(StepKind.NO_OP, 2).setWindow(window(1)).setProgress(progress(1)).build());

    assertThat(topology.points())
        .extracting(MetricPoint::getName)
        .startsWith(REWARD_MEAN.metricName(), LAG_RECORDS.metricName(), LAG_SECONDS.metricName())
        .noneMatch(name -> name.startsWith("train/") || name.startsWith("rollout/stage"));
  }

  @Test
  void genesisHasNoMetrics() {
    topology.step(event(StepKind.GENESIS, -1).build());

    assertThat(topology.points()).isEmpty();
  }

  @Test
  void undecodableRolloutIsCountedAndLagsUntilItIsSkipped() {
    topology.rolloutBytes(new byte[] {9, 9, 9});
    topology.rolloutBytes(null);
    topology.rollout(rollout(0, 0, 1));
    topology.step(
        step(0)
            .setWindow(List.of(trained(2, 0, 0)))
            .setSkipped(List.of(skipped(0, RejectionReason.UNDECODABLE)))
            .setProgress(progress(1, 2L))
            .build());

    assertThat(topology.values(REWARD_MEAN, LAG_RECORDS))
        .containsExactly(Value.of(REWARD_MEAN, 0, 1), Value.of(LAG_RECORDS, 0, 1));
    assertThat(topology.passedOver("UNDECODABLE")).isEqualTo(2);
  }

  @Test
  void recordOfAnotherTypeIsCountedAndPassedOver() {
    topology.rollout(step(0).build());
    topology.step(rollout(0, 0, 1));

    assertThat(topology.points()).isEmpty();
    assertThat(topology.passedOver("WRONG_RECORD_TYPE")).isEqualTo(2);
  }

  @Test
  void undecodableLedgerEventIsCountedAndTheNextOneIsRead() {
    topology.stepBytes(new byte[] {1});
    topology.step(step(0).build());

    assertThat(topology.values(NORMALIZED_ESS)).hasSize(1);
    assertThat(topology.passedOver("UNDECODABLE")).isEqualTo(1);
  }

  @Test
  void eventOfAnotherRunIsCountedAndPassedOver() {
    topology.step(step(0).setRunId("run-b").build());

    assertThat(topology.points()).isEmpty();
    assertThat(topology.passedOver("FOREIGN_RUN")).isEqualTo(1);
  }

  @Test
  void pointsCarryTheTimeOfTheLedgerEvent() {
    topology.rollout(rollout(0, 0, 1));
    topology.step(
        step(0)
            .setWindow(window(0))
            .setProgress(progress(1))
            .setCommittedAt(Records.NOW - 77)
            .build());

    assertThat(topology.points())
        .extracting(MetricPoint::getEventTime)
        .containsOnly(Records.NOW - 77);
  }

  @Test
  void storesForgetWhatWasConsumed() {
    for (long step = 0; step < 50; step++) {
      topology.rollout(rollout(step, 0, 1));
      topology.step(
          step(step)
              .setWindow(List.of(trained(step, step, step)))
              .setProgress(progress(step + 1))
              .build());
    }

    assertThat(topology.points()).isNotEmpty();

    assertThat(topology.stored(TopologyStores.OUTSTANDING)).isZero();
    assertThat(topology.stored(TopologyStores.WAITING)).isZero();
  }

  @Test
  void storesAreInMemorySinceNoNativeStoreIsOnTheClassPath() {
    assertThat(TopologyStores.ofAccounting()).extracting(StoreBuilder::name).hasSize(7);
    assertThat(TopologyStores.ofDeadLetters()).extracting(StoreBuilder::name).hasSize(2);
    assertThat(getClass().getClassLoader().getResource("org/rocksdb/RocksDB.class")).isNull();
  }
}
