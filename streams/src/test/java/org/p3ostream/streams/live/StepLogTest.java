package org.p3ostream.streams.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.p3ostream.streams.fixture.Records.event;
import static org.p3ostream.streams.fixture.Records.metrics;
import static org.p3ostream.streams.fixture.Records.step;
import static org.p3ostream.streams.fixture.Records.window;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.streams.fixture.Records;

class StepLogTest {
  private final StepLog log = new StepLog(Records.RUN);

  @Test
  void pageHoldsStepsFromTheOneAskedForUpToTheLimit() {
    for (long step = 0; step < 5; step++) {
      log.add(step(step).build());
    }

    assertThat(log.page(2, 2)).extracting(StepView::step).containsExactly(2L, 3L);
  }

  @Test
  void pageHoldsStepsAndNoOpsOnlyWhenOtherEventsLieBetween() {
    log.add(event(StepKind.GENESIS, -1).build());
    log.add(event(StepKind.INTERIM, 0).build());
    log.add(step(0).build());
    log.add(event(StepKind.CONTROL, 1).build());
    log.add(event(StepKind.NO_OP, 1).build());

    assertThat(log.page(0, 10)).extracting(StepView::kind).containsExactly("STEP", "NO_OP");
  }

  @Test
  void pageShowsTheReportAndTheDigest() {
    log.add(step(7).setWindow(window(7, 6)).build());

    StepView view = log.page(7, 1).get(0);
    assertThat(view.policyVersion()).isEqualTo(8);
    assertThat(view.groups()).isEqualTo(2);
    assertThat(view.weightsSha256()).isEqualTo("ab".repeat(32));
    assertThat(view.phases()).isEqualTo(new StepView.Phases(1, 2, 3, 4, 5, 6));
    assertThat(view.training())
        .isEqualTo(
            new StepView.Training(
                0.5, 0.11, 0.95, 1.05, 1.01, 0.21, 1.9, 0.02, null, null, -0.13, 0.7, 0.001, 0, 0.9,
                null, 1, 1, null, 0.3, null, null, null, 120, 7.5, 0.12));
  }

  @Test
  void pageShowsTheExactKlAndTheWorstGapOfTheAudit() {
    StepMetrics metrics =
        StepMetrics.newBuilder(metrics(0.5))
            .setBehaviorKlExactMean(0.03)
            .setBehaviorLogprobGaps(
                List.of(
                    new BehaviorLogprobGap("1", 60L, 1e-7, 4e-7, 5e-7),
                    new BehaviorLogprobGap("2", 60L, 2e-7, 3e-7, 4e-7)))
            .build();
    log.add(step(0).setMetrics(metrics).build());

    StepView.Training training = log.page(0, 1).get(0).training();
    assertThat(training.behaviorKlProxyMean()).isEqualTo(0.02);
    assertThat(training.behaviorKlExactMean()).isEqualTo(0.03);
    assertThat(training.behaviorLogprobGapMean()).isEqualTo(2e-7);
  }

  @Test
  void pageShowsLagAndAgesWhereTheLearnerSawThem() {
    StepMetrics metrics =
        StepMetrics.newBuilder(metrics(0.5))
            .setStalenessP50(1L)
            .setLagWindows(2)
            .setAgeGenerationSeconds(0.01)
            .setAgeQueueSeconds(0.02)
            .setAgeHoldBackSeconds(0.03)
            .build();
    log.add(step(0).setMetrics(metrics).build());

    StepView.Training training = log.page(0, 1).get(0).training();
    assertThat(training.stalenessP50()).isEqualTo(1);
    assertThat(training.lagWindows()).isEqualTo(2);
    assertThat(training.ageGenerationSeconds()).isEqualTo(0.01);
    assertThat(training.ageQueueSeconds()).isEqualTo(0.02);
    assertThat(training.ageHoldBackSeconds()).isEqualTo(0.03);
  }

  @Test
  void skippedCountsWhatAllEventsSinceTheStepBeforePassedOver() {
    log.add(
        event(StepKind.INTERIM, 0)
            .setSkipped(List.of(Records.skipped(0, RejectionReason.UNDECODABLE)))
            .build());
    log.add(step(0).setSkipped(List.of(Records.skipped(1, RejectionReason.STALE))).build());
    log.add(step(1).build());

    assertThat(log.page(0, 2)).extracting(StepView::skipped).containsExactly(2, 0);
  }

  @Test
  void deadLettersAreThoseOfATimeButForGroupsThatAreSampledAgainOnPurpose() {
    log.add(
        event(StepKind.INTERIM, 0)
            .setSkipped(
                List.of(
                    Records.skipped(0, RejectionReason.UNDECODABLE),
                    Records.skipped(1, RejectionReason.STALE),
                    Records.skipped(2, RejectionReason.ZERO_VARIANCE)))
            .build());

    assertThat(log.deadLetters().since(Records.NOW)).isEqualTo(1);
    assertThat(log.deadLetters().since(Records.NOW + 1)).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"dispatch\":{\"maxStaleness\":1}} | 1",
        "{\"dispatch\":{\"maxStaleness\":1,\"syncInterval\":4,\"versionsBack\":2}} | 6",
        "{\"dispatch\":{\"maxStaleness\":8},\"window\":{\"maxStaleness\":3}} | 3",
        "{\"dispatch\":{}} |",
        "no json |"
      })
  void stalenessBoundIsWhatTheConfigurationAllows(String configuration, Long bound) {
    log.add(event(StepKind.GENESIS, -1).setConfiguration(configuration).build());

    assertThat(log.stalenessBound()).isEqualTo(bound);
  }

  @Test
  void trainingIsNullWhenTheStepWasANoOp() {
    log.add(event(StepKind.NO_OP, 0).build());

    assertThat(log.page(0, 1).get(0).training()).isNull();
  }

  @Test
  void addPassesOverEventsWhenTheyAreOfAnotherRun() {
    log.add(step(0).setRunId("run-b").build());

    assertThat(log.newestStep()).isEqualTo(-1);
  }

  @Test
  void oldestStepsAreDroppedWhenMoreComeThanAreHeld() {
    StepLog small = new StepLog(Records.RUN, 3);
    StepLogs.addSteps(small, 0, 5);

    assertThat(small.page(0, 10)).extracting(StepView::step).containsExactly(2L, 3L, 4L);
    assertThat(small.oldestStep()).isEqualTo(2);
    assertThat(small.newestStep()).isEqualTo(4);
  }

  @Test
  void aStepThatComesTwiceIsHeldOnce() {
    StepLog small = new StepLog(Records.RUN, 2);
    StepLogs.addSteps(small, 0, 1);
    StepLogs.addSteps(small, 0, 2);

    assertThat(small.page(0, 10)).extracting(StepView::step).containsExactly(0L, 1L);
  }

  @Test
  void constructorThrowsWhenNothingCouldBeHeld() {
    assertThatThrownBy(() -> new StepLog(Records.RUN, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("capacity: 0");
  }

  @Test
  void stepTimeCountsFromTheWindowBeforeOrTheBeginning() {
    StepLogs.addGenesis(log, Records.NOW);
    log.add(step(0).setCommittedAt(Records.NOW + 300).build());
    log.add(event(StepKind.INTERIM, 1).setCommittedAt(Records.NOW + 350).build());
    log.add(event(StepKind.NO_OP, 1).setCommittedAt(Records.NOW + 450).build());

    assertThat(log.page(0, 10)).extracting(StepView::stepMillis).containsExactly(300L, 150L);
  }

  @Test
  void stepTimeIsNullWhenTheEventBeforeWasNotSeen() {
    log.add(step(7).build());

    assertThat(log.page(0, 1).get(0).stepMillis()).isNull();
  }

  @Test
  void originIsKnownOnceTheBeginningWasRead() {
    assertThat(log.origin()).isNull();

    StepLogs.addGenesis(log, Records.NOW);

    assertThat(log.origin()).isEqualTo(new RunOrigin(Records.NOW, 150L, null));
  }

  @Test
  void listenersHearOfStepsOfTheirRunUntilRemoved() {
    AtomicInteger heard = new AtomicInteger();
    Runnable listener = heard::incrementAndGet;
    log.addListener(listener);
    log.add(step(0).build());
    log.add(step(1).setRunId("run-b").build());
    log.removeListener(listener);
    log.add(step(1).build());

    assertThat(heard).hasValue(1);
  }

  @Test
  void gaugesFollowTheNewestEvent() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    log.bindTo(registry);
    log.add(step(3).build());

    assertThat(registry.get("p3o.ledger.step").gauge().value()).isEqualTo(3);
    assertThat(registry.get("p3o.ledger.policy.version").gauge().value()).isEqualTo(4);
  }
}
