package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.p3ostream.streams.fixture.Records.NOW;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.DispatchedGroup;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.schemas.ratio.RatioStatistics;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.query.LatenciesAnswer;
import org.p3ostream.streams.query.NoState;
import org.p3ostream.streams.query.NotReadyException;
import org.p3ostream.streams.query.ProducersAnswer;
import org.p3ostream.streams.query.RunQueries;
import org.p3ostream.streams.query.StalenessAnswer;
import org.p3ostream.streams.query.TasksAnswer;
import org.p3ostream.streams.query.VersionsAnswer;

/** Two windows by hand: what is asked about them, and the points that say the same. */
class RunQueriesTest {
  private static final double LN2 = Math.log(2);

  private final TopologyUnderTest topology = new TopologyUnderTest();
  private final RunQueries queries =
      topology.queries(Clock.fixed(Instant.ofEpochMilli(NOW + 60_000), ZoneOffset.UTC));
  private List<MetricPoint> points;

  /** Dispatched at NOW; sampled 1 to 4 s later; trained 6 s and 9 s after NOW. */
  @BeforeEach
  void twoWindows() {
    topology.clock(NOW);
    topology.step(
        Records.event(StepKind.GENESIS, -1)
            .setDispatched(
                List.of(
                    new DispatchedGroup(0L, 0, 0L),
                    new DispatchedGroup(1L, 0, 0L),
                    new DispatchedGroup(2L, 0, 0L)))
            .build());
    topology.clock(NOW + 5_000);
    topology.rollout(group(0, "a", "sums:0", NOW + 1_000, FinishReason.STOP, FinishReason.LENGTH));
    topology.rollout(group(1, "b", "sort:0", NOW + 2_000, FinishReason.STOP, FinishReason.ABORTED));
    topology.rollout(group(2, "a", "sums:1", NOW + 4_000, FinishReason.STOP, FinishReason.STOP));
    topology.rollout(
        RolloutGroup.newBuilder(group(3, "a", "sums:2", NOW + 5_000))
            .setFailure("gave up")
            .build());
    topology.rollout(
        RolloutGroup.newBuilder(group(4, "c", "sums:2", NOW + 5_000)).setRunId("run-b").build());
    topology.clock(NOW + 6_000);
    topology.step(
        Records.step(0)
            .setPolicyVersionBefore(5)
            .setWindow(List.of(Records.trained(0, 0, 3), Records.trained(1, 1, 3)))
            .setProgress(Records.progress(2))
            .setRatioStatistics(
                List.of(
                    new VersionRatioStatistics(3L, LN2, LN2, 2L),
                    new VersionRatioStatistics(5L, 0.0, 0.0, 4L)))
            .setCommittedAt(NOW + 6_000)
            .build());
    topology.clock(NOW + 9_000);
    topology.step(
        Records.step(1)
            .setPolicyVersionBefore(6)
            .setWindow(List.of(Records.trained(2, 2, 3)))
            .setProgress(Records.progress(3))
            .setRatioStatistics(List.of(new VersionRatioStatistics(3L, 0.0, LN2, 2L)))
            .setCommittedAt(NOW + 9_000)
            .build());
    points = topology.points();
  }

  @AfterEach
  void close() {
    topology.close();
  }

  @Test
  void producersAreThoseOfTheRun() {
    ProducersAnswer answer = queries.producers();

    assertThat(answer.producers())
        .extracting(ProducersAnswer.Producer::producerId)
        .containsExactly("a", "b");
    ProducersAnswer.Producer a = answer.producers().get(0);
    assertThat(a.groups()).isEqualTo(3);
    assertThat(a.responses()).isEqualTo(4);
    assertThat(a.tokens()).isEqualTo(16);
    assertThat(a.failures()).isEqualTo(1);
    assertThat(a.lastAt()).isEqualTo(NOW + 5_000);
    assertThat(a.silentSeconds()).isEqualTo(55);
    // Since its first record at NOW + 1 s, at least ten seconds; the run stands at NOW + 9 s.
    assertThat(a.groupsPerSecond()).isEqualTo(0.3);
    assertThat(a.tokensPerSecond()).isEqualTo(1.6);
    // Group 0 at version 5, group 2 at 6; half of the tokens of a response by version 3, half by 4.
    assertThat(a.stalenessMean()).isEqualTo((8 * 1.5 + 8 * 2.5) / 16);
    assertThat(a.stalenessMax()).isEqualTo(3);
    assertThat(a.rewardMean()).isEqualTo(0.5);
  }

  @Test
  void ratesAreOfNowWhenTheClockOfOneProducerIsFast() {
    topology.clock(NOW + 200_000);
    topology.rollout(group(5, "fast", "sums:3", NOW + 200_000, FinishReason.STOP));
    RunQueries now =
        topology.queries(Clock.fixed(Instant.ofEpochMilli(NOW + 9_000), ZoneOffset.UTC));

    assertThat(now.producers().producers())
        .extracting(ProducersAnswer.Producer::producerId, ProducersAnswer.Producer::groupsPerSecond)
        .contains(tuple("a", 0.3));
  }

  @Test
  void abortedResponsesCountForNothingButTheirReason() {
    ProducersAnswer.Producer b = queries.producers().producers().get(1);
    TasksAnswer.Task sort = queries.tasks(100).tasks().get(0);

    assertThat(b.responses()).isEqualTo(1);
    assertThat(b.tokens()).isEqualTo(4);
    assertThat(b.rewardMean()).isEqualTo(1.0);
    assertThat(sort.task()).isEqualTo("sort");
    assertThat(sort.rewardMean()).isEqualTo(1.0);
    assertThat(sort.finishReasons()).isEqualTo(new TreeMap<>(Map.of("STOP", 1L, "ABORTED", 1L)));
  }

  @Test
  void tasksAreOfTheWindowsAskedFor() {
    assertThat(queries.tasks(1).tasks()).extracting(TasksAnswer.Task::task).containsExactly("sums");
    TasksAnswer.Task sums = queries.tasks(2).tasks().get(1);

    assertThat(sums.groups()).isEqualTo(2);
    assertThat(sums.responses()).isEqualTo(4);
    assertThat(sums.rewardMean()).isEqualTo(0.5);
    assertThat(sums.lengthMean()).isEqualTo(4);
    assertThat(sums.truncatedFraction()).isEqualTo(0.25);
  }

  @Test
  void stalenessIsOfTheTokensAndLagIsWhatTheNewestWindowLeft() {
    StalenessAnswer answer = queries.staleness(100);

    assertThat(answer.windows()).isEqualTo(2);
    assertThat(answer.tokens()).isEqualTo(8);
    assertThat(answer.histogram())
        .containsExactly(
            new StalenessAnswer.Bar(0, 4),
            new StalenessAnswer.Bar(2, 2),
            new StalenessAnswer.Bar(3, 2));
    assertThat(answer.lagRecords()).isEqualTo(2);
    assertThat(answer.lagWindows()).isNull();
    assertThat(answer.lagSeconds()).isEqualTo(4);
    assertThat(queries.staleness(1).tokens()).isEqualTo(2);
  }

  @Test
  void versionsMergeTheStatisticsOfAllStepsThatTrainedThem() {
    RatioStatistics fresh = new RatioStatistics(0, 0, 4);
    RatioStatistics both = new RatioStatistics(LN2, LN2, 2).merge(new RatioStatistics(0, LN2, 2));

    assertThat(queries.versions(10).versions())
        .containsExactly(
            new VersionsAnswer.Version(5, 4, fresh.normalizedEss(), fresh.meanRatio(), 0, 0),
            new VersionsAnswer.Version(3, 4, both.normalizedEss(), both.meanRatio(), 0, 1));
    assertThat(queries.versions(1).versions()).hasSize(1);
    assertThat(values(Metric.VERSION_NORMALIZED_ESS, 1))
        .containsExactly(Map.entry(Map.of("version", "3"), both.normalizedEss()));
  }

  @Test
  void latenciesAreFromDispatchToTraining() {
    List<LatenciesAnswer.StageLatency> stages = queries.latencies(100).stages();

    assertThat(stages).extracting(LatenciesAnswer.StageLatency::count).containsExactly(3L, 3L, 3L);
    assertThat(stages.get(0).meanSeconds()).isEqualTo((1 + 2 + 4) / 3.0);
    assertThat(stages.get(0).maxSeconds()).isEqualTo(4);
    assertThat(stages.get(1).meanSeconds()).isEqualTo((5 + 4 + 5) / 3.0);
    assertThat(stages.get(2).maxSeconds()).isEqualTo(9);
    assertThat(values(Metric.STAGE_LATENCY_MAX, 0))
        .contains(Map.entry(Map.of("stage", "dispatched_to_trained"), 6.0));
  }

  @Test
  void latenciesAreNullWhenNoWindowWasTrained() {
    try (TopologyUnderTest other = new TopologyUnderTest()) {
      assertThat(other.queries(Clock.systemUTC()).latencies(100).stages())
          .hasSize(3)
          .allMatch(stage -> stage.count() == 0 && stage.p95Seconds() == null);
      assertThat(other.queries(Clock.systemUTC()).staleness(100).lagRecords()).isNull();
    }
  }

  @Test
  void pointsOfTasksAndProducersCarryTheirLabels() {
    assertThat(values(Metric.TASK_REWARD_MEAN, 0))
        .containsExactly(
            Map.entry(Map.of("task", "sort"), 1.0), Map.entry(Map.of("task", "sums"), 0.5));
    assertThat(values(Metric.TASK_FINISH_REASON_FRACTION, 1))
        .contains(
            Map.entry(Map.of("task", "sums", "reason", "STOP"), 1.0),
            Map.entry(Map.of("task", "sums", "reason", "LENGTH"), 0.0));
    assertThat(values(Metric.PRODUCER_LAST_SEEN, 0))
        .contains(Map.entry(Map.of("producer", "a"), (NOW + 5_000) / 1000.0));
  }

  @Test
  void lagIsOfTheRecordsSentBeforeTheEvent() {
    assertThat(values(Metric.LAG_RECORDS, 0)).containsExactly(Map.entry(Map.of(), 3.0));
    assertThat(values(Metric.LAG_SECONDS, 0)).containsExactly(Map.entry(Map.of(), 2.0));
    assertThat(values(Metric.LAG_RECORDS, 1)).containsExactly(Map.entry(Map.of(), 2.0));
  }

  @Test
  void everyQuestionIsRefusedWhileThereIsNoState() {
    RunQueries none = NoState.queries();

    assertThatThrownBy(none::producers).isInstanceOf(NotReadyException.class);
    assertThatThrownBy(none::deadLetters).isInstanceOf(NotReadyException.class);
    assertThatThrownBy(() -> none.staleness(1)).isInstanceOf(NotReadyException.class);
  }

  private List<Map.Entry<Map<String, String>, Double>> values(Metric metric, long step) {
    return points.stream()
        .filter(point -> point.getName().equals(metric.metricName()) && point.getStep() == step)
        .map(point -> Map.entry(Map.copyOf(point.getLabels()), point.getValue()))
        .toList();
  }

  /** Rewards 1, 0; four tokens each, two by version 3 and two by version 4. */
  private static RolloutGroup group(
      long groupId, String producer, String promptId, long generatedAt, FinishReason... reasons) {
    List<Response> responses = new ArrayList<>();
    for (int i = 0; i < reasons.length; i++) {
      responses.add(
          Response.newBuilder(Records.rollout(groupId, 0, 1 - i).getResponses().get(0))
              .setFinishReason(reasons[i])
              .setTokens(List.of(1, 2, 3, 4))
              .setBehaviorLogprobs(List.of(-1f, -1f, -1f, -1f))
              .setLossMask(List.of(true, true, true, true))
              .setBehaviorLogprobMask(List.of(true, true, true, true))
              .setPolicyVersion(3)
              .setVersionSegments(List.of(new VersionSegment(0, 3L), new VersionSegment(2, 4L)))
              .build());
    }
    return RolloutGroup.newBuilder(Records.rollout(groupId, 0))
        .setProducerId(producer)
        .setPromptId(promptId)
        .setGeneratedAt(generatedAt)
        .setResponses(responses)
        .build();
  }
}
