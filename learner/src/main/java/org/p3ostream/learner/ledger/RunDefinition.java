package org.p3ostream.learner.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.p3ostream.learner.config.Algorithm;
import org.p3ostream.learner.config.AlgorithmConfig;
import org.p3ostream.learner.config.DatasetConfig;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.LearnerConfig;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.config.PromptsConfig;
import org.p3ostream.learner.config.RatioConfig;
import org.p3ostream.learner.config.RatioConfig.BehaviorLogprob;
import org.p3ostream.learner.config.RatioConfig.TruncatedSampling;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.config.WindowConfig;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/**
 * The training-relevant configuration of a run: what the weights are a function of, besides the
 * environment. The number of steps to run is not part of it; the length of the learning-rate
 * schedule is.
 */
public final class RunDefinition {

  private static final double UNUSED_CLIP = 0.2;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();

  private final JsonNode tree;

  private RunDefinition(JsonNode tree) {
    this.tree = tree;
  }

  /**
   * The definition that the settings and the files they name amount to.
   *
   * @param modelHash architecture and layout
   * @param initialWeightsSha256 digest of version 0
   * @param tokenizerHash digest of the tokenizer file
   * @param promptsSha256 digest of the prompts file of each data set, by its name
   */
  public static RunDefinition of(
      LearnerSettings settings,
      String modelHash,
      String initialWeightsSha256,
      String tokenizerHash,
      Map<String, String> promptsSha256) {
    Map<String, Object> values = new LinkedHashMap<>();
    values.put("run", Map.of("seed", settings.run().seed()));
    values.put("model", model(modelHash, initialWeightsSha256, tokenizerHash));
    values.put("prompts", prompts(settings.prompts().all(), promptsSha256));
    values.put("sampling", sampling(settings.sampling()));
    values.put("dispatch", dispatch(settings.dispatch()));
    if (!settings.window().equals(WindowConfig.defaults())) { // the section came later
      values.put("window", window(settings.window()));
    }
    values.put("algorithm", algorithm(settings.algorithm().resolved()));
    values.put("ratio", ratio(settings.ratio(), settings.sampling()));
    values.put("optimizer", settings.optimizer());
    values.put("learner", learner(settings.learner(), settings.dispatch().lockstep()));
    return new RunDefinition(JSON.valueToTree(values));
  }

  private static Map<String, String> model(
      String modelHash, String initialWeightsSha256, String tokenizerHash) {
    return Map.of(
        "hash", modelHash,
        "initialWeightsSha256", initialWeightsSha256,
        "tokenizerHash", tokenizerHash);
  }

  /**
   * Keys that came later are left out while they are off: a run opened before them stays itself.
   */
  private static JsonNode sampling(SamplingConfig sampling) {
    ObjectNode tree = JSON.valueToTree(sampling);
    leaveOut(tree, "minP", sampling.minP() == 0);
    leaveOut(tree, "stopStrings", sampling.stopStrings().isEmpty());
    return tree;
  }

  private static JsonNode dispatch(DispatchConfig dispatch) {
    ObjectNode tree = JSON.valueToTree(dispatch);
    tree.remove("timeoutSeconds"); // the same group is asked for again
    leaveOut(tree, "syncInterval", dispatch.syncInterval() == 1);
    leaveOut(tree, "versionsBack", dispatch.versionsBack() == 0);
    return tree;
  }

  private static JsonNode window(WindowConfig window) {
    ObjectNode tree = JSON.valueToTree(window);
    leaveOut(tree, "maxStaleness", window.maxStaleness() == null);
    return tree;
  }

  /**
   * What is recorded of the objective. A mode that came with a key says nothing while it is the one
   * there was before.
   */
  private static JsonNode algorithm(AlgorithmConfig algorithm) {
    AlgorithmConfig before = AlgorithmConfig.of(algorithm.name());
    ObjectNode tree = JSON.valueToTree(algorithm);
    tree.put("name", algorithm.name().id());
    if (algorithm.name() == Algorithm.P3O) { // it had a clip once, without effect
      tree.put("clipLow", UNUSED_CLIP).put("clipHigh", UNUSED_CLIP);
    }
    tree.properties().removeIf(entry -> entry.getValue().isNull());
    leaveOut(tree, "essScope", algorithm.essScope() == EssScope.STEP);
    leaveOut(tree, "klMode", algorithm.klMode() == KlMode.PROXY);
    leaveOut(tree, "advantage", algorithm.advantage() == before.advantage());
    leaveOut(tree, "referenceKl", algorithm.referenceKl() == 0);
    leaveOut(tree, "entropy", algorithm.entropy() == 0);
    leaveOut(tree, "overlongBuffer", algorithm.overlongBuffer() == 0);
    leaveOut(tree, "overlongPenalty", algorithm.overlongBuffer() == 0);
    leaveOut(tree, "dropZeroVariance", !algorithm.dropsZeroVariance());
    leaveOut(tree, "dynamicSamplingAttempts", !algorithm.dropsZeroVariance());
    tree.remove(List.of("correction", "critic", "normalization")); // these have one value
    return tree;
  }

  /** How truncated sampling is met matters to those who use it. */
  private static JsonNode ratio(RatioConfig ratio, SamplingConfig sampling) {
    ObjectNode tree = JSON.valueToTree(ratio);
    leaveOut(tree, "behaviorLogprob", ratio.behaviorLogprob() == BehaviorLogprob.SAMPLING);
    leaveOut(
        tree,
        "truncatedSampling",
        ratio.truncatedSampling() == TruncatedSampling.SAME_KEPT_SET && !sampling.truncates());
    return tree;
  }

  /**
   * What decides in which order the figures of a step are added up; and out of lockstep, where the
   * versions that sample follow from it, for how many windows one is held back.
   */
  private static JsonNode learner(LearnerConfig learner, boolean lockstep) {
    ObjectNode tree = JSON.createObjectNode();
    tree.put("microBatchTokens", learner.microBatchTokens());
    tree.put("replicas", learner.replicas());
    tree.put("contextShards", learner.contextShards());
    leaveOut(tree, "replicas", learner.replicas() == 1);
    leaveOut(tree, "contextShards", learner.contextShards() == 1);
    if (!lockstep && learner.holdBackWindows() > 0) {
      tree.put("holdBackWindows", learner.holdBackWindows());
    }
    return tree;
  }

  private static void leaveOut(ObjectNode tree, String key, boolean condition) {
    if (condition) {
      tree.remove(key);
    }
  }

  /**
   * The order of the data sets does not matter, since they take turns by name. A single data set
   * under the usual name is told as it was before there could be several.
   */
  private static Map<String, Object> prompts(
      List<DatasetConfig> datasets, Map<String, String> sha256) {
    Map<String, Map<String, Object>> byName = new LinkedHashMap<>();
    for (DatasetConfig dataset : datasets) {
      Map<String, Object> values = new LinkedHashMap<>();
      values.put("sha256", Objects.requireNonNull(sha256.get(dataset.name()), dataset.name()));
      values.put("reward", dataset.reward());
      values.put("weight", dataset.weight());
      byName.put(dataset.name(), values);
    }
    Map<String, Object> only = byName.get(PromptsConfig.ONLY);
    if (only != null && byName.size() == 1) {
      only.remove("weight");
      return only;
    }
    return Map.of("datasets", byName);
  }

  /** Parses what {@link #json()} gave. */
  public static RunDefinition parse(String json) {
    try {
      return new RunDefinition(JSON.readTree(json));
    } catch (JsonProcessingException e) {
      throw new LedgerException("configuration in GENESIS is not JSON: " + e.getOriginalMessage());
    }
  }

  /** Canonical text: sorted keys, no blanks. */
  public String json() {
    try {
      return JSON.writeValueAsString(JSON.treeToValue(tree, Object.class));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** SHA-256 of {@link #json()}, hexadecimal. */
  public String hash() {
    return WeightsDigest.sha256(json().getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The settings that this definition stands for. What it does not speak of (places, sizes of
   * caches, the number of steps) is taken from {@code current}.
   *
   * @throws LedgerException if it holds what this version cannot do
   */
  public LearnerSettings settingsOver(LearnerSettings current) {
    return CompleteDefinition.of(tree).settingsOver(current);
  }

  /**
   * Keys whose values differ, each as {@code path: theirs -> ours}. A key that a definition leaves
   * out has the value that it means by that.
   */
  public List<String> differencesFrom(RunDefinition earlier) {
    return differences(earlier, path -> true);
  }

  /** Those of {@link #differencesFrom} that no run can go on with, each with the reason. */
  public List<String> fixedDifferencesFrom(RunDefinition earlier) {
    List<String> fixed = new ArrayList<>();
    for (Map.Entry<String, String> key : FixedKeys.REASONS.entrySet()) {
      differences(earlier, path -> path.equals(key.getKey()))
          .forEach(difference -> fixed.add(difference + " (" + key.getValue() + ")"));
    }
    return fixed;
  }

  /**
   * What of a model at hand is not what this definition says, each as {@code path: ours -> its}.
   */
  public List<String> modelDifferences(
      String modelHash, String initialWeightsSha256, String tokenizerHash) {
    JsonNode other =
        JSON.valueToTree(Map.of("model", model(modelHash, initialWeightsSha256, tokenizerHash)));
    return new RunDefinition(other).differences(this, path -> path.startsWith("model."));
  }

  private List<String> differences(RunDefinition earlier, Predicate<String> ofInterest) {
    Map<String, String> before = CompleteDefinition.of(earlier.tree).leaves();
    Map<String, String> now = CompleteDefinition.of(tree).leaves();
    TreeSet<String> paths = new TreeSet<>(before.keySet());
    paths.addAll(now.keySet());
    List<String> differences = new ArrayList<>();
    for (String path : paths) {
      String old = before.getOrDefault(path, "none");
      String current = now.getOrDefault(path, "none");
      if (ofInterest.test(path) && !old.equals(current)) {
        differences.add(path + ": " + old + " -> " + current);
      }
    }
    return differences;
  }
}
