package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.rolloutproducer.runtime.ProducerClients;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;
import org.p3ostream.schemas.avro.VersionRatioStatistics;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.tests.support.LateWeights;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.PeriodicSnapshots;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.SideBySide;
import org.p3ostream.tests.support.TestRun;

/**
 * The dial of staleness hits its setting, through a real broker. Every prediction is stated here
 * anew, and held against the rollouts as they lie in the topic, token by token.
 */
@ExtendWith(LocalStackExtension.class)
class ControlledStalenessIT {

  /** A setting of the dial: η, k and L. */
  record Setting(int maxStaleness, int syncInterval, int holdBack) {

    String[] overrides(String... more) {
      List<String> overrides =
          new ArrayList<>(
              List.of(
                  "dispatch.maxStaleness=" + maxStaleness,
                  "dispatch.syncInterval=" + syncInterval,
                  "learner.holdBackWindows=" + holdBack,
                  "learner.steps=" + steps(),
                  "dispatch.groupsPerWindow=1",
                  "sampling.samplesPerGroup=2",
                  "sampling.maxResponseTokens=3",
                  "algorithm.klMode=proxy",
                  "learner.checkpointEvery=1000"));
      overrides.addAll(List.of(more));
      return overrides.toArray(String[]::new);
    }

    /** Until the windows of GENESIS are trained, and every phase of the interval behind them. */
    int steps() {
      return maxStaleness + syncInterval + 1;
    }

    /**
     * Of every token of a window, where no step is a no-op: window w is trained by version w, and
     * was dispatched while version max(0, w − η) was in force.
     */
    long predicted(long window) {
      long inForce = Math.max(0, window - maxStaleness);
      return window - syncInterval * (inForce / syncInterval);
    }

    /** Windows that must lie behind a window before it is trained. */
    long leastLag(long window) {
      return Math.min(holdBack, steps() - 1 - window);
    }

    long bound() {
      return maxStaleness + syncInterval - 1L;
    }
  }

  /** A setting and who samples under it. */
  private record Cell(Setting setting, UnaryOperator<ProducerClients> clients, boolean lockstep) {

    TestRun trained(LocalStack stack, Path directory) throws Throwable {
      String name =
          "%d-%d-%d".formatted(setting.maxStaleness(), setting.syncInterval(), setting.holdBack());
      TestRun run =
          new TestRun(
              stack, directory.resolve(name), setting.overrides("dispatch.lockstep=" + lockstep));
      train(run, clients);
      return run;
    }

    @Override
    public String toString() {
      return setting.toString();
    }
  }

  static List<Setting> all() {
    List<Setting> settings = new ArrayList<>();
    for (int maxStaleness : new int[] {0, 1, 2, 4, 8}) {
      for (int syncInterval : new int[] {1, 3, 8}) {
        for (int holdBack : new int[] {0, 2, 4}) {
          settings.add(new Setting(maxStaleness, syncInterval, holdBack));
        }
      }
    }
    return settings;
  }

  static Stream<Setting> valid() {
    return all().stream().filter(setting -> setting.maxStaleness() >= setting.holdBack());
  }

  static Stream<Setting> invalid() {
    return all().stream().filter(setting -> setting.maxStaleness() < setting.holdBack());
  }

  @Test
  void settingsAreThirtyAndFifteen() {
    assertThat(valid()).hasSize(30);
    assertThat(invalid()).hasSize(15);
  }

  @ParameterizedTest
  @MethodSource("invalid")
  void holdBackOfMoreThanIsDispatchedIsRefused(
      Setting setting, LocalStack stack, @TempDir Path directory) throws Exception {
    TestRun run = new TestRun(stack, directory, setting.overrides());
    assertThat(refusal(run))
        .startsWith(
            "learner.holdBackWindows: %d must be <= dispatch.maxStaleness (%d): "
                .formatted(setting.holdBack(), setting.maxStaleness()))
        .contains("the learner would wait for windows that nobody was asked for");
  }

  private static String refusal(TestRun run) {
    try {
      run.learner();
      return "none";
    } catch (ConfigException e) {
      return e.getMessage();
    }
  }

  @TestFactory
  Stream<DynamicTest> everyTokenIsExactlyAsStaleAsPredictedInLockstep(
      LocalStack stack, @TempDir Path directory) {
    List<Cell> cells = valid().map(setting -> new Cell(setting, clients -> clients, true)).toList();
    return SideBySide.run(
        cells,
        cell -> cell.trained(stack, directory),
        (cell, run) -> assertAsPredicted(cell.setting(), run));
  }

  private static void assertAsPredicted(Setting setting, TestRun run) {
    Map<Long, Map<Long, Long>> trained = trainedTokens(run);
    assertThat(trained).hasSize(setting.steps());
    for (StepEvent step : run.steps()) {
      long window = step.getStep();
      long predicted = setting.predicted(window);
      assertThat(step.getPolicyVersionBefore()).isEqualTo(window);
      assertThat(trained.get(window).keySet()).as("window %d", window).containsExactly(predicted);
      assertMetricsSay(step, trained.get(window));
      assertAgesAddUp(step.getMetrics());
      assertThat((long) step.getMetrics().getLagWindows())
          .as("lag at window %d", window)
          .isBetween(setting.leastLag(window), (long) setting.maxStaleness());
    }
  }

  /** Of every token by itself, from the rollouts. Percentiles are nearest ranks. */
  private static void assertMetricsSay(StepEvent step, Map<Long, Long> tokensByStaleness) {
    StepMetrics metrics = step.getMetrics();
    List<Long> each = // [N], versions
        tokensByStaleness.entrySet().stream()
            .flatMap(tokens -> Stream.generate(tokens::getKey).limit(tokens.getValue()))
            .sorted()
            .toList();
    double mean = each.stream().mapToLong(Long::longValue).average().orElseThrow();
    assertThat(metrics.getValidTokens()).isEqualTo(each.size());
    assertThat(metrics.getStalenessMin()).isEqualTo(each.get(0));
    assertThat(metrics.getStalenessP50()).isEqualTo(ranked(each, 0.5));
    assertThat(metrics.getStalenessP95()).isEqualTo(ranked(each, 0.95));
    assertThat(metrics.getStalenessMax()).isEqualTo(each.get(each.size() - 1));
    assertThat(metrics.getStalenessMean()).isEqualTo(mean);
    assertThat(metrics.getRolloutPolicyAgeWindows()).isEqualTo(mean);
    assertThat(step.getRatioStatistics())
        .extracting(VersionRatioStatistics::getPolicyVersion, VersionRatioStatistics::getTokenCount)
        .containsExactlyInAnyOrderElementsOf(
            tokensByStaleness.entrySet().stream()
                .map(
                    tokens ->
                        tuple(step.getPolicyVersionBefore() - tokens.getKey(), tokens.getValue()))
                .toList());
  }

  private static long ranked(List<Long> sorted, double share) {
    return sorted.get((int) Math.ceil(share * sorted.size()) - 1);
  }

  private static void assertAgesAddUp(StepMetrics metrics) {
    assertThat(metrics.getAgeQueueSeconds() + metrics.getAgeHoldBackSeconds())
        .isCloseTo(metrics.getAgeMeanSeconds(), within(1e-9));
    assertThat(metrics.getAgeGenerationSeconds()).isPositive();
  }

  /**
   * With L = η a window is sampled while the version is in force that it was dispatched under,
   * however fast producers and learner are; a producer that takes over every k-th version only is
   * then as stale as the bound allows.
   */
  @TestFactory
  Stream<DynamicTest> boundIsReachedWithoutLockstepByAProducerThatSyncsPeriodically(
      LocalStack stack, @TempDir Path directory) {
    List<Cell> cells =
        Stream.of(
                new Setting(1, 1, 1),
                new Setting(4, 1, 4),
                new Setting(2, 3, 2),
                new Setting(4, 3, 4),
                new Setting(4, 8, 4))
            .map(
                setting ->
                    new Cell(
                        setting,
                        clients -> PeriodicSnapshots.of(clients, setting.syncInterval()),
                        false))
            .toList();
    return SideBySide.run(
        cells,
        cell -> cell.trained(stack, directory),
        (cell, run) -> {
          List<Long> staleness = staleness(run);
          long bound = cell.setting().bound();
          assertThat(staleness).allSatisfy(each -> assertThat(each).isBetween(0L, bound));
          assertThat(staleness).contains(bound);
        });
  }

  /** A producer that takes what is newest: L alone keeps its rollouts old, η alone bounds them. */
  @TestFactory
  Stream<DynamicTest> boundIsKeptWithoutLockstepAndHoldBackMakesStaleness(
      LocalStack stack, @TempDir Path directory) {
    List<Cell> cells =
        Stream.of(
                new Setting(4, 1, 2),
                new Setting(4, 3, 4),
                new Setting(2, 3, 0),
                new Setting(8, 1, 0))
            .map(setting -> new Cell(setting, clients -> clients, false))
            .toList();
    return SideBySide.run(
        cells,
        cell -> cell.trained(stack, directory),
        (cell, run) ->
            trainedTokens(run)
                .forEach(
                    (window, tokens) ->
                        assertThat(tokens.keySet())
                            .as("window %d", window)
                            .allSatisfy(
                                each ->
                                    assertThat(each)
                                        .isBetween(
                                            Math.min(cell.setting().holdBack(), window),
                                            cell.setting().bound()))));
  }

  /**
   * What is left of a response is sampled by weights that arrived meanwhile, so that tokens of one
   * group differ in staleness: each counts with its own. None is older than without updates; where
   * weights arrive before the first token is sampled, all are younger.
   */
  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "2, 3"})
  void everyTokenCountsWithItsOwnVersionWhereWeightsAreUpdatedInFlight(
      int maxStaleness, int syncInterval, LocalStack stack, @TempDir Path directory)
      throws Throwable {
    Setting setting = new Setting(maxStaleness, syncInterval, 0);
    TestRun run =
        new TestRun(
            stack,
            directory,
            setting.overrides(
                "dispatch.lockstep=false",
                "producer.inFlightUpdates=true",
                "learner.steps=12",
                "sampling.samplesPerGroup=8",
                "sampling.maxResponseTokens=55"));
    train(run, clients -> LateWeights.of(clients, maxStaleness));
    Map<Long, Map<Long, Long>> trained = trainedTokens(run);
    assertThat(trained).hasSize(12);
    for (StepEvent step : run.steps()) {
      long window = step.getStep();
      Map<Long, Long> tokens = trained.get(window);
      assertMetricsSay(step, tokens);
      long oldest = Math.min(window, maxStaleness);
      assertThat(oldest).isLessThanOrEqualTo(setting.bound());
      assertThat(tokens.keySet())
          .as("window %d", window)
          .isSubsetOf(oldest, Math.max(0, maxStaleness - 1L));
    }
    assertThat(trained.values())
        .as("tokens of a group by staleness")
        .anyMatch(tokens -> tokens.size() > 1);
    assertThat(RunAudit.of(run.config()).problems()).isEmpty();
  }

  private static void train(TestRun run, UnaryOperator<ProducerClients> clients) throws Throwable {
    try (RunningRole producer = run.producer("a", clients)) {
      run.learner().join();
    }
  }

  private static List<Long> staleness(TestRun run) {
    return trainedTokens(run).values().stream().flatMap(w -> w.keySet().stream()).toList();
  }

  /** Tokens in the loss, by window and staleness, from the rollouts and not from any metric. */
  private static Map<Long, Map<Long, Long>> trainedTokens(TestRun run) {
    Map<String, RolloutGroup> rollouts = new HashMap<>();
    try (RecordCodec codec = run.codec()) {
      for (ConsumerRecord<byte[], byte[]> record : run.records(run.topics().rollouts())) {
        rollouts.put(
            record.partition() + "@" + record.offset(),
            (RolloutGroup)
                ((Decoded.Accepted) codec.decode(record.topic(), record.value())).record());
      }
    }
    Map<Long, Map<Long, Long>> byWindow = new HashMap<>();
    for (StepEvent step : run.steps()) {
      Map<Long, Long> tokens = new HashMap<>();
      for (WindowEntry entry : step.getWindow()) {
        RolloutGroup group = rollouts.get(entry.getPartition() + "@" + entry.getRecordOffset());
        for (Response response : group.getResponses()) {
          for (int t = 0; t < response.getTokens().size(); t++) {
            if (response.getLossMask().get(t)) {
              long staleness = step.getPolicyVersionBefore() - versionOf(response, t);
              tokens.merge(staleness, 1L, Long::sum);
            }
          }
        }
      }
      byWindow.put(step.getStep(), tokens);
    }
    return byWindow;
  }

  private static long versionOf(Response response, int token) {
    return response.getVersionSegments().stream()
        .filter(segment -> segment.getFromToken() <= token)
        .reduce((earlier, later) -> later)
        .orElseThrow()
        .getPolicyVersion();
  }
}
