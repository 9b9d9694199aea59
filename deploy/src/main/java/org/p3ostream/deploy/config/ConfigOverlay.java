package org.p3ostream.deploy.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lays given values over a tree of defaults and collects what does not fit. */
final class ConfigOverlay {

  private final ConfigShape.Section shape;
  private final ObjectNode tree;
  private final List<String> problems = new ArrayList<>();

  /**
   * @param shape the keys there are
   * @param tree defaults; changed in place
   */
  ConfigOverlay(ConfigShape.Section shape, ObjectNode tree) {
    this.shape = shape;
    this.tree = tree;
  }

  /** What did not fit so far. */
  List<String> problems() {
    return List.copyOf(problems);
  }

  /** Lays a whole document over the tree. */
  void addDocument(JsonNode document) {
    addSection("", shape, tree, document);
  }

  /** Lays {@code path=value} over the tree. */
  void addOverride(String assignment) {
    int equals = assignment.indexOf('=');
    if (equals < 1) {
      problems.add("--set " + assignment + ": must be path=value");
      return;
    }
    addOverride(
        "",
        shape,
        tree,
        assignment.substring(0, equals).strip(),
        TextNode.valueOf(assignment.substring(equals + 1)));
  }

  private void addOverride(
      String prefix, ConfigShape.Section section, ObjectNode target, String path, JsonNode value) {
    int dot = path.indexOf('.');
    String key = dot < 0 ? path : path.substring(0, dot);
    String rest = dot < 0 ? "" : path.substring(dot + 1);
    @Nullable ConfigShape found = section.keys().get(key);
    if (found == null) {
      problems.add(unknownKey(prefix, section, key));
    } else if (found instanceof ConfigShape.Section inner && !rest.isEmpty()) {
      addOverride(prefix + key + ".", inner, (ObjectNode) target.get(key), rest, value);
    } else if (found instanceof ConfigShape.FreeMap && !rest.isEmpty()) {
      addFree(prefix + key + ".", (ObjectNode) target.get(key), rest, value);
    } else if (found instanceof ConfigShape.Value leaf && rest.isEmpty()) {
      addValue(prefix + key, leaf, target, key, value);
    } else if (found instanceof ConfigShape.TextList && rest.isEmpty()) {
      addList(prefix + key, target, key, TextListReader.parse(value.asText()));
    } else if (rest.isEmpty()) {
      problems.add(prefix + key + ": is a section; name a key inside it");
    } else {
      problems.add(prefix + path + ": unknown key; " + prefix + key + " is a single value");
    }
  }

  private void addSection(
      String prefix, ConfigShape.Section section, ObjectNode target, JsonNode given) {
    if (given.isNull() || given.isMissingNode()) {
      return;
    }
    if (!given.isObject()) {
      problems.add(
          (prefix.isEmpty() ? "the configuration" : withoutDot(prefix))
              + ": '"
              + given.asText()
              + "' must be a section of keys and values");
      return;
    }
    for (Map.Entry<String, JsonNode> entry : given.properties()) {
      String key = entry.getKey();
      @Nullable ConfigShape found = section.keys().get(key);
      if (found == null) {
        problems.add(unknownKey(prefix, section, key));
      } else if (found instanceof ConfigShape.Section inner) {
        addSection(prefix + key + ".", inner, (ObjectNode) target.get(key), entry.getValue());
      } else if (found instanceof ConfigShape.Value leaf) {
        addValue(prefix + key, leaf, target, key, entry.getValue());
      } else if (found instanceof ConfigShape.TextList) {
        addList(prefix + key, target, key, entry.getValue());
      } else {
        addFreeMap(prefix + key + ".", (ObjectNode) target.get(key), entry.getValue());
      }
    }
  }

  private void addFreeMap(String prefix, ObjectNode target, JsonNode given) {
    if (given.isNull()) {
      return;
    }
    if (!given.isObject()) {
      problems.add(
          withoutDot(prefix) + ": '" + given.asText() + "' must be a section of keys and values");
      return;
    }
    given.properties().forEach(e -> addFree(prefix, target, e.getKey(), e.getValue()));
  }

  private void addFree(String prefix, ObjectNode target, String key, JsonNode value) {
    if (value.isContainerNode() || value.isNull()) {
      problems.add(prefix + key + ": must be a single value; write the property's full name");
    } else {
      target.put(key, value.asText());
    }
  }

  private void addValue(
      String path, ConfigShape.Value leaf, ObjectNode target, String key, JsonNode value) {
    if (value.isNull()) {
      if (!target.get(key).isNull()) {
        problems.add(path + ": must have a value");
      }
      return;
    }
    try {
      target.set(key, ScalarReader.read(leaf, value));
    } catch (IllegalArgumentException | ArithmeticException e) {
      String shown = value.isValueNode() ? value.asText() : value.toString();
      problems.add(path + ": '" + Secrets.masked(path, shown) + "' " + e.getMessage());
    }
  }

  private void addList(String path, ObjectNode target, String key, JsonNode value) {
    try {
      target.set(key, TextListReader.read(value));
    } catch (IllegalArgumentException e) {
      problems.add(path + ": " + e.getMessage());
    }
  }

  private static String unknownKey(String prefix, ConfigShape.Section section, String key) {
    return prefix + key + ": unknown key" + KnownKeys.hint(key, section.keys().keySet());
  }

  private static String withoutDot(String prefix) {
    return prefix.substring(0, prefix.length() - 1);
  }
}
