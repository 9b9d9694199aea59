package org.p3ostream.learner.ledger;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.p3ostream.learner.config.Algorithm;
import org.p3ostream.learner.config.AlgorithmConfig;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.LearnerConfig;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.config.RatioConfig;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.config.WindowConfig;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlMode;

/**
 * A definition with the keys that it leaves out. A key is left out while it says what was the case
 * before there was such a key, which need not be what is the default today.
 */
final class CompleteDefinition {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String ALGORITHM = "algorithm";
  private static final String WINDOW = "window";
  private static final String CONSTANT = "[A-Z][A-Z0-9_]*";

  private final JsonNode tree;

  private CompleteDefinition(JsonNode tree) {
    this.tree = tree;
  }

  /** Completes what {@link RunDefinition} recorded; sections that are not there stay away. */
  static CompleteDefinition of(JsonNode recorded) {
    if (!(recorded.deepCopy() instanceof ObjectNode tree)) {
      throw new LedgerException("the recorded configuration is no JSON object");
    }
    complete(tree, "sampling", section -> JSON.valueToTree(SamplingConfig.defaults()));
    complete(tree, "dispatch", section -> JSON.valueToTree(DispatchConfig.defaults()));
    complete(tree, "ratio", section -> JSON.valueToTree(RatioConfig.defaults()));
    complete(tree, "learner", section -> plainLearner());
    if (!tree.has(WINDOW)) { // the section came later
      tree.set(WINDOW, JSON.createObjectNode());
    }
    complete(tree, WINDOW, section -> unboundedWindow());
    complete(tree, ALGORITHM, CompleteDefinition::plainObjective);
    if (tree.get(ALGORITHM) instanceof ObjectNode section && isP3o(section)) {
      section.remove(List.of("clipLow", "clipHigh")); // it had a clip once, without effect
    }
    return new CompleteDefinition(tree);
  }

  private static void complete(ObjectNode tree, String name, UnaryOperator<ObjectNode> leftOut) {
    if (tree.get(name) instanceof ObjectNode section) {
      tree.set(name, leftOut.apply(section).setAll(section));
    }
  }

  private static ObjectNode unboundedWindow() {
    ObjectNode unbounded = JSON.valueToTree(WindowConfig.defaults());
    unbounded.remove("maxStaleness"); // null: there is no such bound
    return unbounded;
  }

  private static ObjectNode plainLearner() {
    return JSON.createObjectNode()
        .put("replicas", 1)
        .put("contextShards", 1)
        .put("holdBackWindows", 0);
  }

  private static ObjectNode plainObjective(ObjectNode recorded) {
    for (Algorithm algorithm : Algorithm.values()) {
      if (algorithm.id().equals(recorded.path("name").asText())) {
        ObjectNode plain = JSON.valueToTree(AlgorithmConfig.of(algorithm).resolved());
        plain.put("dropZeroVariance", false);
        if (algorithm == Algorithm.P3O) {
          plain.put("essScope", EssScope.STEP.name()).put("klMode", KlMode.PROXY.name());
        }
        plain.properties().removeIf(entry -> entry.getValue().isNull());
        plain.remove(List.of("correction", "critic", "normalization")); // these have one value
        return plain;
      }
    }
    return JSON.createObjectNode();
  }

  private static boolean isP3o(ObjectNode section) {
    return section.path("name").asText().equals(Algorithm.P3O.id());
  }

  /** Every value by its path, as a configuration file would spell it. */
  Map<String, String> leaves() {
    Map<String, String> leaves = new LinkedHashMap<>();
    collect("", tree, leaves);
    return leaves;
  }

  private static void collect(String path, JsonNode node, Map<String, String> leaves) {
    if (node.isObject()) {
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        String child = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
        collect(child, field.getValue(), leaves);
      }
    } else {
      leaves.put(path, node.isArray() ? node.toString() : spelled(node.asText()));
    }
  }

  private static String spelled(String value) {
    return value.matches(CONSTANT) ? value.toLowerCase(Locale.ROOT).replace('_', '-') : value;
  }

  /** See {@link RunDefinition#settingsOver}. */
  LearnerSettings settingsOver(LearnerSettings current) {
    return new LearnerSettings(
        read("run", current.run(), RunConfig.class),
        current.model(),
        current.prompts(),
        read("sampling", current.sampling(), SamplingConfig.class),
        read("dispatch", current.dispatch(), DispatchConfig.class),
        read(WINDOW, WindowConfig.defaults(), WindowConfig.class),
        read(ALGORITHM, unnamed(), AlgorithmConfig.class),
        read("ratio", current.ratio(), RatioConfig.class),
        read("optimizer", current.optimizer(), OptimizerConfig.class),
        read("learner", current.learner(), LearnerConfig.class),
        current.audit(),
        current.recovery(),
        current.trimming(),
        current.environment());
  }

  /** What an objective takes where its section is silent: nothing that another one has. */
  private AlgorithmConfig unnamed() {
    String name = tree.path(ALGORITHM).path("name").asText();
    for (Algorithm algorithm : Algorithm.values()) {
      if (algorithm.id().equals(name)) {
        return AlgorithmConfig.of(algorithm);
      }
    }
    throw new LedgerException("this version knows no objective '" + name + "'");
  }

  private <T extends Record> T read(String name, T current, Class<T> type) {
    ObjectNode section = JSON.valueToTree(current);
    tree.path(name)
        .properties()
        .forEach(
            entry -> {
              if (!isObjectiveName(name, entry.getKey())) { // spelled in another way
                section.set(entry.getKey(), entry.getValue());
              }
            });
    try {
      return JSON.treeToValue(section, type);
    } catch (JsonProcessingException e) {
      throw new LedgerException(
          "this version cannot train as the ledger says, "
              + name
              + ": "
              + (e.getCause() == null ? e.getOriginalMessage() : e.getCause().getMessage()));
    }
  }

  private static boolean isObjectiveName(String section, String key) {
    return section.equals(ALGORITHM) && key.equals("name");
  }
}
