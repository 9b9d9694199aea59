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
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.config.TrimmingConfig;
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
            9);
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
            LEARNER.snapshotCache());
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
            "ratio.truncatedSampling: absent -> SAME_KEPT_SET",
            "sampling.minP: absent -> 0.1",
            "sampling.stopStrings: absent -> [\"#\",\"\\n\"]");
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
            "algorithm.advantage: absent -> MEAN_ONLY",
            "algorithm.dropZeroVariance: absent -> true",
            "algorithm.dynamicSamplingAttempts: absent -> 5",
            "algorithm.entropy: absent -> 0.2",
            "algorithm.essScope: absent -> MICRO_BATCH",
            "algorithm.klMode: absent -> EXACT",
            "algorithm.overlongBuffer: absent -> 3",
            "algorithm.overlongPenalty: absent -> 0.5",
            "algorithm.referenceKl: absent -> 0.1");
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
        .containsExactly("algorithm.klMode: absent -> EXACT");
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
    LearnerConfig many = new LearnerConfig(150, "", 4096, 65536, "x", 20, 3, (short) 1, 2, 4, 4);
    assertThat(
            definition(settings(RunConfig.defaults(), many))
                .differencesFrom(definition(settings(RunConfig.defaults(), LEARNER))))
        .containsExactly("learner.contextShards: absent -> 4", "learner.replicas: absent -> 2");
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
    assertThat(later.differencesFrom(earlier))
        .containsExactly("a.b: 1 -> absent", "a.c: absent -> 2");
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
    return new LearnerSettings(
        run,
        ModelSourceConfig.defaults(),
        prompts,
        sampling,
        DispatchConfig.defaults(),
        algorithm,
        RatioConfig.defaults(),
        OptimizerConfig.defaults(),
        learner,
        AuditConfig.defaults(),
        TrimmingConfig.defaults(),
        Map.of());
  }
}
