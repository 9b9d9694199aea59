package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.state.StoreNames;

class WindowAccountingTest {
  /** Rates and what else is said of a producer are of the moment of the report. */
  private static boolean isOfTheLog(MetricPoint point) {
    return !point.getLabels().containsKey(Metric.PRODUCER_LABEL);
  }

  @Test
  void pointsAndStateDoNotDependOnHowPartitionsAreInterleaved() {
    SimulatedRun run = new SimulatedRun(11, 60, 3);
    try (AccountingUnderTest one = new AccountingUnderTest(SimulatedRun.PARTITIONS)) {
      run.interleaved(0).forEach(one::take);
      one.quiet(WindowAccounting.QUIET);
      assertThat(one.points()).extracting(MetricPoint::getName).contains("rollout/lag_records");
      for (long seed = 1; seed < 25; seed++) {
        try (AccountingUnderTest other = new AccountingUnderTest(SimulatedRun.PARTITIONS)) {
          run.interleaved(seed).forEach(other::take);
          other.quiet(WindowAccounting.QUIET);

          assertThat(other.state()).as("seed %d", seed).isEqualTo(one.state());
          assertThat(other.points().stream().filter(WindowAccountingTest::isOfTheLog))
              .as("seed %d", seed)
              .containsExactlyElementsOf(
                  one.points().stream().filter(WindowAccountingTest::isOfTheLog).toList());
        }
      }
    }
  }

  @Test
  void nothingIsLostOrDoubledWhenAnotherInstanceGoesOnAnywhere() {
    SimulatedRun run = new SimulatedRun(5, 30, 3);
    List<Fact> facts = run.interleaved(3);
    try (AccountingUnderTest undisturbed = new AccountingUnderTest(SimulatedRun.PARTITIONS);
        AccountingUnderTest disturbed = new AccountingUnderTest(SimulatedRun.PARTITIONS)) {
      for (int i = 0; i < facts.size(); i++) {
        undisturbed.take(facts.get(i));
        disturbed.take(facts.get(i));
        if (i % 7 == 0) {
          disturbed.restart();
        }
      }
      undisturbed.quiet(WindowAccounting.MISSING_AFTER);
      disturbed.quiet(WindowAccounting.MISSING_AFTER);

      assertThat(disturbed.points()).isEqualTo(undisturbed.points());
      assertThat(disturbed.state()).isEqualTo(undisturbed.state());
    }
  }

  @Test
  void lagIsThatOfAnIndependentCountByDefinition() {
    SimulatedRun run = new SimulatedRun(8, 40, 2);
    try (AccountingUnderTest accounting = new AccountingUnderTest(SimulatedRun.PARTITIONS)) {
      run.interleaved(1).forEach(accounting::take);
      accounting.quiet(WindowAccounting.QUIET);

      Map<Long, Double> found = new TreeMap<>();
      accounting.points().stream()
          .filter(point -> point.getName().equals(Metric.LAG_RECORDS.metricName()))
          .forEach(point -> found.put(point.getStep(), point.getValue()));
      Map<Long, Double> expected = new TreeMap<>();
      for (Fact fact : run.logs.get(SimulatedRun.PARTITIONS)) {
        LedgerFact event = (LedgerFact) fact;
        if (event.step() >= 0) {
          expected.put(event.step(), (double) lag(run, event));
        }
      }
      assertThat(found).isEqualTo(expected);
      assertThat(found.values()).anyMatch(lag -> lag > 0);
    }
  }

  private static long lag(SimulatedRun run, LedgerFact event) {
    long lag = 0;
    for (List<Fact> partition : run.logs.subList(0, SimulatedRun.PARTITIONS)) {
      for (Fact fact : partition) {
        RolloutFact rollout = (RolloutFact) fact;
        lag += rollout.sentAt() < event.sentAt() && !event.consumed(rollout.at()) ? 1 : 0;
      }
    }
    return lag;
  }

  @Test
  void noStoreGrowsWithTheRun() {
    int producers = 5;
    Map<String, Integer> bounds =
        Map.of(
            TopologyStores.OUTSTANDING,
            3 * SimulatedRun.GROUPS,
            StoreNames.PARTITIONS,
            SimulatedRun.PARTITIONS,
            TopologyStores.WAITING,
            0,
            TopologyStores.DISPATCHES,
            2 * SimulatedRun.GROUPS,
            StoreNames.PRODUCERS,
            producers,
            StoreNames.WINDOWS,
            WindowBook.WINDOWS_KEPT,
            StoreNames.VERSIONS,
            VersionBook.VERSIONS_KEPT + 1);
    SimulatedRun run = new SimulatedRun(4, 1_400, producers);
    try (AccountingUnderTest accounting = new AccountingUnderTest(SimulatedRun.PARTITIONS)) {
      run.interleaved(2).forEach(accounting::take);
      accounting.quiet(WindowAccounting.QUIET);

      bounds.forEach(
          (store, bound) ->
              assertThat(accounting.held(store)).as(store).isLessThanOrEqualTo(bound));
      assertThat(accounting.held(StoreNames.WINDOWS)).isEqualTo(WindowBook.WINDOWS_KEPT);
      assertThat(accounting.held(StoreNames.VERSIONS)).isEqualTo(VersionBook.VERSIONS_KEPT);
    }
  }

  @Test
  void dispatchesOfGroupsThatNeverComeAreForgotten() {
    try (AccountingUnderTest accounting = new AccountingUnderTest(1)) {
      for (long step = 0; step <= 2 * WindowBook.WINDOWS_KEPT; step++) {
        accounting.take(
            event(step, builder -> builder.setDispatched(dispatched(builder.getStep()))));
        accounting.quiet(WindowAccounting.QUIET);
      }

      assertThat(accounting.held(TopologyStores.DISPATCHES))
          .isBetween(WindowBook.WINDOWS_KEPT, WindowBook.WINDOWS_KEPT + 64);
    }
  }

  @Test
  void producersBeyondTheLimitAreCountedTogether() {
    try (AccountingUnderTest accounting = new AccountingUnderTest(1)) {
      for (int producer = 0; producer < ProducerBook.MAX_PRODUCERS + 50; producer++) {
        accounting.take(rollout(producer, "producer-" + producer, Records.NOW));
      }

      assertThat(accounting.held(StoreNames.PRODUCERS)).isEqualTo(ProducerBook.MAX_PRODUCERS + 1);
    }
  }

  @Test
  void producersAreForgottenAfterALongSilence() {
    try (AccountingUnderTest accounting = new AccountingUnderTest(1)) {
      long later = Records.NOW + ProducerBook.FORGOTTEN_AFTER.toMillis() + 1;
      accounting.take(rollout(0, "silent", Records.NOW));
      accounting.take(rollout(1, "lively", later - 1));
      accounting.take(LedgerFact.of(1, Records.step(0).setCommittedAt(later).build(), later));
      accounting.quiet(WindowAccounting.QUIET);

      assertThat(accounting.state().get(StoreNames.PRODUCERS)).containsOnlyKeys("lively");
    }
  }

  @Test
  void aForkIsSettledAtOnceWithoutLagOrReward() {
    try (AccountingUnderTest accounting = new AccountingUnderTest(SimulatedRun.PARTITIONS)) {
      accounting.take(
          event(3, builder -> builder.setWindow(Records.window(0, 0)).setProgress(List.of())));

      assertThat(accounting.held(TopologyStores.WAITING)).isZero();
      assertThat(accounting.points())
          .extracting(MetricPoint::getName)
          .noneMatch(name -> name.startsWith("rollout/"));
    }
  }

  /** As of a process that is stopped, or whose host sleeps. */
  @Test
  void aStandstillIsNoSilence() {
    try (AccountingUnderTest accounting = new AccountingUnderTest(SimulatedRun.PARTITIONS)) {
      accounting.take(
          event(
              3, builder -> builder.setWindow(Records.window(0)).setProgress(Records.progress(1))));
      accounting.stopped(Duration.ofHours(8));
      assertThat(accounting.held(TopologyStores.WAITING)).isOne();

      accounting.quiet(WindowAccounting.MISSING_AFTER);

      assertThat(accounting.held(TopologyStores.WAITING)).isZero();
    }
  }

  @Test
  void nothingIsTakenForMissingWhileNoBrokerAnswers() {
    try (AccountingUnderTest accounting = new AccountingUnderTest(SimulatedRun.PARTITIONS)) {
      accounting.take(
          event(
              3, builder -> builder.setWindow(Records.window(0)).setProgress(Records.progress(1))));
      accounting.away(Duration.ofMinutes(2));
      assertThat(accounting.held(TopologyStores.WAITING)).isOne();

      accounting.quiet(WindowAccounting.MISSING_AFTER);

      assertThat(accounting.held(TopologyStores.WAITING)).isZero();
    }
  }

  @Test
  void eventsDoNotWaitForAPartitionInWhichNothingComesForLong() {
    int seconds = (int) WindowAccounting.SILENT.toSeconds();
    try (AccountingUnderTest accounting = new AccountingUnderTest(2)) {
      for (int second = 1; second < seconds; second++) {
        accounting.take(event(second, builder -> {}));
        accounting.take(rollout(second, "a", Records.NOW + second + 1));
        accounting.quiet(Duration.ofSeconds(1));
      }
      assertThat(accounting.held(TopologyStores.WAITING)).isEqualTo(seconds - 1);

      accounting.take(rollout(seconds, "a", Records.NOW + seconds + 1));
      accounting.quiet(Duration.ofSeconds(1));

      assertThat(accounting.held(TopologyStores.WAITING)).isZero();
    }
  }

  @Test
  void rolloutsThatNobodyTrainsAreHeldUpToTheLimitAndOnlyCountedBeyond() {
    long all = OutstandingRollouts.MAX_HELD + 1_000;
    try (AccountingUnderTest accounting = new AccountingUnderTest(1)) {
      for (long offset = 0; offset < all; offset++) {
        accounting.take(
            RolloutFact.unreadable(new Coordinate(0, offset), Records.NOW - all + offset));
      }
      assertThat(accounting.held(TopologyStores.OUTSTANDING))
          .isEqualTo(OutstandingRollouts.MAX_HELD);

      accounting.take(
          event(
              0,
              builder ->
                  builder
                      .setWindow(List.of(Records.trained(all - 1, 0, 0)))
                      .setProgress(Records.progress(0, all - 1))));
      accounting.quiet(WindowAccounting.QUIET);

      assertThat(accounting.points())
          .filteredOn(point -> point.getName().startsWith("rollout/"))
          .extracting(MetricPoint::getName, MetricPoint::getValue)
          .contains(tuple(Metric.LAG_RECORDS.metricName(), (double) all))
          .noneMatch(point -> point.toList().get(0).equals(Metric.REWARD_MEAN.metricName()));
    }
  }

  @Test
  void noMoreEventsWaitThanTheLimit() {
    try (AccountingUnderTest accounting = new AccountingUnderTest(1)) {
      for (long step = 0; step < WindowAccounting.MAX_WAITING + 10; step++) {
        accounting.take(event(step, builder -> {}));
      }

      assertThat(accounting.held(TopologyStores.WAITING)).isEqualTo(WindowAccounting.MAX_WAITING);
    }
  }

  private static Fact rollout(long offset, String producer, long generatedAt) {
    return RolloutFact.of(
        new Coordinate(0, offset),
        generatedAt,
        org.p3ostream.schemas.avro.RolloutGroup.newBuilder(Records.rollout(offset, 0, 1))
            .setProducerId(producer)
            .setGeneratedAt(generatedAt)
            .build());
  }

  private static LedgerFact event(
      long step, Consumer<org.p3ostream.schemas.avro.StepEvent.Builder> change) {
    var builder = Records.step(step);
    change.accept(builder);
    return LedgerFact.of(step + 1, builder.build(), Records.NOW + step);
  }

  private static List<org.p3ostream.schemas.avro.DispatchedGroup> dispatched(long group) {
    return List.of(new org.p3ostream.schemas.avro.DispatchedGroup(group, 0, 0L));
  }
}
