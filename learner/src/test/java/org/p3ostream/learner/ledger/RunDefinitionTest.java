package org.p3ostream.learner.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.p3ostream.learner.config.Algorithm;
import org.p3ostream.learner.config.AlgorithmConfig;
import org.p3ostream.learner.config.AuditConfig;
import org.p3ostream.learner.config.Correction;
import org.p3ostream.learner.config.DatasetConfig;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.LearnerConfig;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.config.ModelSourceConfig;
import org.p3ostream.learner.config.Normalization;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.config.PromptsConfig;
import org.p3ostream.learner.config.RatioConfig;
import org.p3ostream.learner.config.RecoveryConfig;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.config.TrimmingConfig;
import org.p3ostream.learner.config.WindowConfig;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.GroupAdvantage;
import org.p3ostream.learner.objective.KlMode;

class RunDefinitionTest {

  private static final LearnerConfig LEARNER = LearnerConfig.defaults();

  @Test
  void jsonHasSortedKeysAndNoBlanks() throws IOException {
    String json = definition(settings(RunConfig.defaults(), LEARNER)).json();
    assertThat(json).doesNotContain(" ", "\n");
    requireSorted(new ObjectMapper().readTree(json));
    assertThat(json).contains("\"learningRate\":0.001", "\"policyTemperature\":\"MODEL\"");
  }

  @Test
  void hashIsThatOfTheParsedText() {
    RunDefinition definition = definition(settings(RunConfig.defaults(), LEARNER));
    RunDefinition parsed = RunDefinition.parse(definition.json());
    assertThat(parsed.json()).isEqualTo(definition.json());
    assertThat(parsed.hash()).isEqualTo(definition.hash()).matches("[0-9a-f]{64}");
    assertThat(definition.differencesFrom(parsed)).isEmpty();
  }

  @Test
  void hashDoesNotDependOnStepsRunIdTopicsOrPlaces() {
    RunDefinition one = definition(settings(new RunConfig("run-a", 42, "a."), LEARNER));
    LearnerConfig elsewhere =
        new LearnerConfig(
            9_999,
            "other-id",
            LEARNER.microBatchTokens(),
            1,
            "elsewhere",
            7,
            9,
            (short) 3,
            1,
            1,
            9,
            1);
    RunDefinition other = definition(settings(new RunConfig("run-b", 42, "b."), elsewhere));
    assertThat(other.hash()).isEqualTo(one.hash());
  }

  @Test
  void differencesFromNamesTheKeysWithBothValues() {
    RunDefinition earlier = definition(settings(new RunConfig("run-a", 42, "p3o."), LEARNER));
    LearnerConfig cut =
        new LearnerConfig(
            LEARNER.steps(),
            LEARNER.transactionalId(),
            512,
            LEARNER.retainedGraphTokens(),
            LEARNER.checkpointDirectory(),
            LEARNER.checkpointEvery(),
            LEARNER.checkpointsKept(),
            LEARNER.topicReplication(),
            LEARNER.replicas(),
            LEARNER.contextShards(),
            LEARNER.snapshotCache(),
            LEARNER.holdBackWindows());
    RunDefinition later =
        RunDefinition.of(
            settings(new RunConfig("run-a", 43, "p3o."), cut),
            "model",
            "weights",
            "other-tokenizer",
            Map.of("train", "prompts"));
    assertThat(later.hash()).isNotEqualTo(earlier.hash());
    assertThat(later.differencesFrom(earlier))
        .containsExactly(
            "learner.microBatchTokens: 4096 -> 512",
            "model.tokenizerHash: tokenizer -> other-tokenizer",
            "run.seed: 42 -> 43");
  }

  /** A run that was opened before the keys existed can be continued. */
  @Test
  void hashKnowsNothingOfKeysThatCameLaterWhileTheyAreOff() {
    String json = definition(settings(RunConfig.defaults(), LEARNER)).json();
    assertThat(json)
        .contains(
            "\"sampling\":{\"maxResponseTokens\":16,\"samplesPerGroup\":8,\"temperature\":1.0,"
                + "\"topK\":0,\"topP\":1.0}");
    SamplingConfig other = new SamplingConfig(8, 1.0, 0, 1.0, 0.1, List.of("#", "\n"), 16);
    RunDefinition changed = definition(settings(RunConfig.defaults(), other, LEARNER));
    assertThat(changed.differencesFrom(RunDefinition.parse(json)))
        .containsExactly(
            "sampling.minP: 0.0 -> 0.1", "sampling.stopStrings: [] -> [\"#\",\"\\n\"]");
    SamplingConfig another = new SamplingConfig(8, 1.0, 0, 1.0, 0.1, List.of("#"), 16);
    assertThat(
            definition(settings(RunConfig.defaults(), another, LEARNER)).differencesFrom(changed))
        .containsExactly("sampling.stopStrings: [\"#\",\"\\n\"] -> [\"#\"]");
  }

  /** Text of a run that was opened when there were two objectives. */
  @Test
  void objectiveIsToldAsEverWhileNothingNewIsConfigured() {
    assertThat(definition(objective(p3o(KlMode.PROXY))).json())
        .contains(
            "\"algorithm\":{\"clipHigh\":0.2,\"clipLow\":0.2,\"name\":\"p3o\"}",
            "\"learner\":{\"microBatchTokens\":4096}",
            "\"ratio\":{\"policyTemperature\":\"MODEL\"}");
    assertThat(definition(objective(AlgorithmConfig.of(Algorithm.GRPO))).json())
        .contains("\"algorithm\":{\"clipHigh\":0.2,\"clipLow\":0.2,\"name\":\"grpo\"}");
  }

  @Test
  void everyKeyOfTheObjectiveBelongsToTheDefinitionOnceItIsNotWhatItWas() {
    RunDefinition before = definition(objective(p3o(KlMode.PROXY)));
    AlgorithmConfig changed =
        new AlgorithmConfig(
            Algorithm.P3O,
            EssScope.MICRO_BATCH,
            KlMode.EXACT,
            null,
            null,
            null,
            null,
            GroupAdvantage.MEAN_ONLY,
            0.1,
            0.2,
            3,
            0.5,
            true,
            5,
            Correction.NONE,
            false,
            Normalization.TOKEN_MEAN);
    assertThat(definition(objective(changed)).differencesFrom(before))
        .containsExactly(
            "algorithm.advantage: population-std -> mean-only",
            "algorithm.dropZeroVariance: false -> true",
            "algorithm.dynamicSamplingAttempts: 4 -> 5",
            "algorithm.entropy: 0.0 -> 0.2",
            "algorithm.essScope: step -> micro-batch",
            "algorithm.klMode: proxy -> exact",
            "algorithm.overlongBuffer: 0 -> 3",
            "algorithm.overlongPenalty: 1.0 -> 0.5",
            "algorithm.referenceKl: 0.0 -> 0.1");
    assertThat(definition(objective(AlgorithmConfig.of(Algorithm.DAPO))).json())
        .contains(
            "\"algorithm\":{\"clipHigh\":0.28,\"clipLow\":0.2,\"dropZeroVariance\":true,"
                + "\"dynamicSamplingAttempts\":4,\"name\":\"dapo\"}");
  }

  /** A run that was opened when P3O had one KL mode is not one of the mode it has by default. */
  @Test
  void klModeThatIsTheDefaultTodayIsToldWhereItCameLater() {
    RunDefinition before = definition(objective(p3o(KlMode.PROXY)));
    assertThat(definition(objective(AlgorithmConfig.defaults())).differencesFrom(before))
        .containsExactly("algorithm.klMode: proxy -> exact");
  }

  private static AlgorithmConfig p3o(KlMode klMode) {
    return new AlgorithmConfig(
        Algorithm.P3O,
        null,
        klMode,
        null,
        null,
        null,
        null,
        GroupAdvantage.POPULATION_STD,
        0,
        0,
        0,
        1,
        null,
        4,
        Correction.NONE,
        false,
        Normalization.TOKEN_MEAN);
  }

  /** The cut among replicas and shards decides the order of sums, as that into micro-batches. */
  @Test
  void replicasAndShardsBelongToTheDefinition() {
    LearnerConfig many = new LearnerConfig(150, "", 4096, 65536, "x", 20, 3, (short) 1, 2, 4, 4, 0);
    assertThat(
            definition(settings(RunConfig.defaults(), many))
                .differencesFrom(definition(settings(RunConfig.defaults(), LEARNER))))
        .containsExactly("learner.contextShards: 1 -> 4", "learner.replicas: 1 -> 2");
  }

  @Test
  void syncIntervalIsToldWhereItIsMoreThanOne() {
    RunDefinition before = definition(settings(RunConfig.defaults(), LEARNER));
    assertThat(before.json())
        .contains("\"dispatch\":{\"groupsPerWindow\":8,\"lockstep\":true,\"maxStaleness\":1}");
    assertThat(
            definition(
                    dispatch(new DispatchConfig(8, 1, 3, 0, 600, true), new WindowConfig(10, null)))
                .differencesFrom(before))
        .containsExactly("dispatch.syncInterval: 1 -> 3");
  }

  /** In lockstep a prompt names its version, however long its group waits to be trained. */
  @Test
  void holdBackBelongsToTheDefinitionOutOfLockstepOnly() {
    LearnerConfig held = new LearnerConfig(150, "", 4096, 65536, "x", 20, 3, (short) 1, 1, 1, 4, 1);
    DispatchConfig free = new DispatchConfig(8, 2, 1, 0, 600, false);
    DispatchConfig lockstep = new DispatchConfig(8, 2, 1, 0, 600, true);
    assertThat(definition(dispatch(lockstep, held)).json())
        .isEqualTo(definition(dispatch(lockstep, LEARNER)).json());
    RunDefinition before = definition(dispatch(free, LEARNER));
    assertThat(before.json()).doesNotContain("holdBackWindows");
    RunDefinition after = definition(dispatch(free, held));
    assertThat(after.differencesFrom(before)).containsExactly("learner.holdBackWindows: 0 -> 1");
    for (RunDefinition recorded : List.of(before, after)) {
      LearnerSettings again = recorded.settingsOver(somethingElse());
      assertThat(definition(again).json()).isEqualTo(recorded.json());
    }
  }

  @Test
  void versionsBackAreToldWhereThereAreAny() {
    RunDefinition before = definition(settings(RunConfig.defaults(), LEARNER));
    assertThat(
            definition(
                    dispatch(new DispatchConfig(8, 1, 1, 5, 600, true), new WindowConfig(10, null)))
                .differencesFrom(before))
        .containsExactly("dispatch.versionsBack: 0 -> 5");
  }

  /** When a group is asked for again does not matter, how often does: it may be given up. */
  @Test
  void limitOfTopUpsBelongsToTheDefinitionAndTheTimeoutDoesNot() {
    RunDefinition before = definition(settings(RunConfig.defaults(), LEARNER));
    DispatchConfig sooner = new DispatchConfig(8, 1, 1, 0, 5, true);
    assertThat(definition(dispatch(sooner, new WindowConfig(10, null))).hash())
        .isEqualTo(before.hash());
    assertThat(definition(dispatch(sooner, new WindowConfig(3, null))).differencesFrom(before))
        .containsExactly("window.maxTopUps: 10 -> 3");
  }

  @Test
  void boundOfStalenessIsToldWhereThereIsOne() {
    RunDefinition before = definition(settings(RunConfig.defaults(), LEARNER));
    DispatchConfig usual = DispatchConfig.defaults();
    RunDefinition topUps = definition(dispatch(usual, new WindowConfig(3, null)));
    assertThat(topUps.json()).contains("\"window\":{\"maxTopUps\":3}");
    RunDefinition bounded = definition(dispatch(usual, new WindowConfig(10, 2)));
    assertThat(bounded.json()).contains("\"window\":{\"maxStaleness\":2,\"maxTopUps\":10}");
    assertThat(bounded.differencesFrom(before)).containsExactly("window.maxStaleness: none -> 2");
    for (RunDefinition recorded : List.of(before, topUps, bounded)) {
      LearnerSettings again = recorded.settingsOver(somethingElse());
      assertThat(definition(again).json()).isEqualTo(recorded.json());
    }
  }

  /** What it does to a run of truncated sampling is another thing than what was done before. */
  @Test
  void handlingOfTruncatedSamplingIsToldWhereThereIsAny() {
    SamplingConfig truncated = new SamplingConfig(8, 1.0, 4, 1.0, 0, List.of(), 16);
    assertThat(definition(settings(RunConfig.defaults(), truncated, LEARNER)).json())
        .contains("\"truncatedSampling\":\"SAME_KEPT_SET\"");
  }

  @Test
  void differencesFromNamesKeysThatOneSideLacks() {
    RunDefinition earlier = RunDefinition.parse("{\"a\":{\"b\":1}}");
    RunDefinition later = RunDefinition.parse("{\"a\":{\"c\":2}}");
    assertThat(later.differencesFrom(earlier)).containsExactly("a.b: 1 -> none", "a.c: none -> 2");
  }

  /** Whatever is configured now: a run goes on as it was recorded. */
  @ParameterizedTest
  @EnumSource(Algorithm.class)
  void settingsOverGivesTheDefinitionBack(Algorithm name) {
    AlgorithmConfig plain = AlgorithmConfig.of(name);
    AlgorithmConfig changed =
        new AlgorithmConfig(
            name,
            null,
            name == Algorithm.P3O ? KlMode.PROXY : null,
            null,
            null,
            null,
            null,
            GroupAdvantage.MEAN_ONLY,
            0.1,
            0.2,
            3,
            0.5,
            name != Algorithm.DAPO,
            name == Algorithm.DAPO ? 4 : 5, // not told where nothing is dropped
            Correction.NONE,
            false,
            Normalization.TOKEN_MEAN);
    for (AlgorithmConfig algorithm : List.of(plain, changed)) {
      RunDefinition recorded = RunDefinition.parse(definition(objective(algorithm)).json());
      LearnerSettings again = recorded.settingsOver(somethingElse());
      assertThat(definition(again).json()).isEqualTo(recorded.json());
      assertThat(again.algorithm().resolved()).isEqualTo(algorithm.resolved());
    }
  }

  @Test
  void settingsOverTakesWhatTheDefinitionDoesNotSpeakOfFromThoseAtHand() {
    LearnerSettings other = somethingElse();
    RunDefinition recorded = definition(settings(RunConfig.defaults(), LEARNER));
    LearnerSettings again = RunDefinition.parse(recorded.json()).settingsOver(other);
    assertThat(definition(again).json()).isEqualTo(recorded.json());
    assertThat(again.run()).isEqualTo(new RunConfig("other", 42, "other."));
    assertThat(again.learner().steps()).isEqualTo(other.learner().steps());
    assertThat(again.learner().checkpointDirectory()).isEqualTo("elsewhere");
    assertThat(again.learner().microBatchTokens()).isEqualTo(LEARNER.microBatchTokens());
    assertThat(again.learner().replicas()).isEqualTo(1);
    assertThat(again.sampling()).isEqualTo(SamplingConfig.defaults());
  }

  /** A configuration in which as much as can be is not as usual. */
  private static LearnerSettings somethingElse() {
    return new LearnerSettings(
        new RunConfig("other", 7, "other."),
        ModelSourceConfig.defaults(),
        PromptsConfig.defaults(),
        new SamplingConfig(3, 0.5, 4, 0.9, 0.1, List.of("x"), 5),
        new DispatchConfig(3, 2, 1, 4, 600, false),
        new WindowConfig(4, 2),
        AlgorithmConfig.of(Algorithm.DAPO),
        new RatioConfig(
            RatioConfig.PolicyTemperature.SAMPLING,
            RatioConfig.BehaviorLogprob.RAW,
            RatioConfig.TruncatedSampling.REJECT),
        new OptimizerConfig(1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 8),
        new LearnerConfig(9, "x", 512, 1, "elsewhere", 7, 9, (short) 3, 2, 3, 9, 2),
        AuditConfig.defaults(),
        RecoveryConfig.defaults(),
        TrimmingConfig.defaults(),
        Map.of());
  }

  @Test
  void settingsOverRefusesWhatThisVersionDoesNotKnow() {
    LearnerSettings current = settings(RunConfig.defaults(), LEARNER);
    String json = definition(current).json();
    assertThatThrownBy(
            () ->
                RunDefinition.parse(json.replace("\"name\":\"p3o\"", "\"name\":\"later\""))
                    .settingsOver(current))
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("no objective 'later'");
    assertThatThrownBy(
            () ->
                RunDefinition.parse(json.replace("\"topK\":0", "\"topK\":0,\"topQ\":1"))
                    .settingsOver(current))
        .isInstanceOf(LedgerException.class)
        .hasMessageContainingAll("sampling", "topQ");
  }

  @Test
  void fixedDifferencesFromNamesWhatNoRunCanGoOnWith() {
    RunDefinition earlier = definition(settings(RunConfig.defaults(), LEARNER));
    RunDefinition later =
        RunDefinition.of(
            objective(AlgorithmConfig.of(Algorithm.GRPO)),
            "m",
            "weights",
            "tokenizer",
            Map.of("train", "p"));
    assertThat(later.fixedDifferencesFrom(earlier))
        .containsExactly("model.hash: model -> m (the weights are those of the run's model)");
    assertThat(
            definition(objective(AlgorithmConfig.of(Algorithm.GRPO))).fixedDifferencesFrom(earlier))
        .isEmpty();
    assertThat(definition(somethingElse()).fixedDifferencesFrom(earlier))
        .extracting(difference -> difference.substring(0, difference.indexOf(':')))
        .containsExactly("dispatch.groupsPerWindow", "dispatch.maxStaleness", "run.seed");
  }

  @Test
  void modelDifferencesNamesWhatOfAModelIsNotTheRuns() {
    RunDefinition recorded = definition(settings(RunConfig.defaults(), LEARNER));
    assertThat(recorded.modelDifferences("model", "weights", "tokenizer")).isEmpty();
    assertThat(recorded.modelDifferences("model", "w", "tokenizer"))
        .containsExactly("model.initialWeightsSha256: weights -> w");
  }

  @Test
  void parseRefusesWhatIsNotJson() {
    assertThatThrownBy(() -> RunDefinition.parse("{")).isInstanceOf(LedgerException.class);
  }

  @Test
  void onlyDataSetNamedTrainIsToldAsEver() {
    assertThat(definition(settings(RunConfig.defaults(), LEARNER)).json())
        .contains("\"prompts\":{\"reward\":\"exact-match\",\"sha256\":\"prompts\"}");
    DatasetConfig train = new DatasetConfig("train", "elsewhere.jsonl", "exact-match", 5);
    assertThat(mixed(List.of(train), Map.of("train", "prompts")).hash())
        .isEqualTo(definition(settings(RunConfig.defaults(), LEARNER)).hash());
  }

  @Test
  void everyDataSetBelongsToTheDefinitionInAnyOrder() {
    DatasetConfig sums = new DatasetConfig("sums", "a.jsonl", "exact-match", 3);
    DatasetConfig sorting = new DatasetConfig("sorting", "b.jsonl", "numeric", 1);
    Map<String, String> sha256 = Map.of("sums", "aa", "sorting", "bb");
    RunDefinition earlier = mixed(List.of(sums, sorting), sha256);
    assertThat(mixed(List.of(sorting, sums), sha256).hash()).isEqualTo(earlier.hash());
    assertThat(
            mixed(List.of(sums, sorting), Map.of("sums", "aa", "sorting", "other"))
                .differencesFrom(earlier))
        .containsExactly("prompts.datasets.sorting.sha256: bb -> other");
    DatasetConfig changed = new DatasetConfig("sorting", "b.jsonl", "regex", 2);
    assertThat(mixed(List.of(sums, changed), sha256).differencesFrom(earlier))
        .containsExactly(
            "prompts.datasets.sorting.reward: numeric -> regex",
            "prompts.datasets.sorting.weight: 1.0 -> 2.0");
  }

  private static void requireSorted(JsonNode node) {
    List<String> keys = new ArrayList<>();
    node.fieldNames().forEachRemaining(keys::add);
    assertThat(keys).isSorted();
    node.forEach(RunDefinitionTest::requireSorted);
  }

  private static RunDefinition definition(LearnerSettings settings) {
    return RunDefinition.of(settings, "model", "weights", "tokenizer", Map.of("train", "prompts"));
  }

  private static RunDefinition mixed(List<DatasetConfig> datasets, Map<String, String> sha256) {
    PromptsConfig prompts = new PromptsConfig(null, null, datasets);
    return RunDefinition.of(
        settings(RunConfig.defaults(), LEARNER, prompts), "model", "weights", "tokenizer", sha256);
  }

  private static LearnerSettings objective(AlgorithmConfig algorithm) {
    return settings(
        RunConfig.defaults(),
        SamplingConfig.defaults(),
        LEARNER,
        PromptsConfig.defaults(),
        algorithm);
  }

  private static LearnerSettings settings(RunConfig run, LearnerConfig learner) {
    return settings(run, SamplingConfig.defaults(), learner, PromptsConfig.defaults());
  }

  private static LearnerSettings settings(
      RunConfig run, SamplingConfig sampling, LearnerConfig learner) {
    return settings(run, sampling, learner, PromptsConfig.defaults());
  }

  private static LearnerSettings settings(
      RunConfig run, LearnerConfig learner, PromptsConfig prompts) {
    return settings(run, SamplingConfig.defaults(), learner, prompts);
  }

  private static LearnerSettings settings(
      RunConfig run, SamplingConfig sampling, LearnerConfig learner, PromptsConfig prompts) {
    return settings(run, sampling, learner, prompts, AlgorithmConfig.defaults());
  }

  private static LearnerSettings settings(
      RunConfig run,
      SamplingConfig sampling,
      LearnerConfig learner,
      PromptsConfig prompts,
      AlgorithmConfig algorithm) {
    return settings(
        run,
        sampling,
        learner,
        prompts,
        algorithm,
        DispatchConfig.defaults(),
        WindowConfig.defaults());
  }

  private static LearnerSettings dispatch(DispatchConfig dispatch, WindowConfig window) {
    return dispatch(dispatch, window, LEARNER);
  }

  private static LearnerSettings dispatch(DispatchConfig dispatch, LearnerConfig learner) {
    return dispatch(dispatch, WindowConfig.defaults(), learner);
  }

  private static LearnerSettings dispatch(
      DispatchConfig dispatch, WindowConfig window, LearnerConfig learner) {
    return settings(
        RunConfig.defaults(),
        SamplingConfig.defaults(),
        learner,
        PromptsConfig.defaults(),
        AlgorithmConfig.defaults(),
        dispatch,
        window);
  }

  private static LearnerSettings settings(
      RunConfig run,
      SamplingConfig sampling,
      LearnerConfig learner,
      PromptsConfig prompts,
      AlgorithmConfig algorithm,
      DispatchConfig dispatch,
      WindowConfig window) {
    return new LearnerSettings(
        run,
        ModelSourceConfig.defaults(),
        prompts,
        sampling,
        dispatch,
        window,
        algorithm,
        RatioConfig.defaults(),
        OptimizerConfig.defaults(),
        learner,
        AuditConfig.defaults(),
        RecoveryConfig.defaults(),
        TrimmingConfig.defaults(),
        Map.of());
  }
}
