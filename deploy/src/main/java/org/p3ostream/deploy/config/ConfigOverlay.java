package org.p3ostream.deploy.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Lays given values over a tree of defaults and collects what does not fit. */
final class ConfigOverlay {

  private final ConfigShape.Section shape;
  private final ObjectNode tree;
  private final List<String> problems = new ArrayList<>();

  /** Paths of the values that were given, whether they fit or not. */
  private final Set<String> given = new HashSet<>();

  private final Map<String, GivenList> lists = new LinkedHashMap<>();

  private record GivenList(String prefix, ConfigShape.RecordList shape, ObjectNode section) {}

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
    if (found == null && section.keys().get(withoutIndex(key)) instanceof ConfigShape.RecordList) {
      problems.add(prefix + path + ": " + wholeList(prefix + withoutIndex(key)));
    } else if (found == null) {
      problems.add(unknownKey(prefix, section, key));
    } else if (found instanceof ConfigShape.Section inner && !rest.isEmpty()) {
      addOverride(prefix + key + ".", inner, (ObjectNode) target.get(key), rest, value);
    } else if (found instanceof ConfigShape.FreeMap && !rest.isEmpty()) {
      addFree(prefix + key + ".", (ObjectNode) target.get(key), rest, value);
    } else if (found instanceof ConfigShape.Value leaf && rest.isEmpty()) {
      addValue(prefix + key, leaf, target, key, value);
    } else if (found instanceof ConfigShape.TextList && rest.isEmpty()) {
      addTextList(prefix + key, target, key, ListReader.parse(value.asText()));
    } else if (found instanceof ConfigShape.NumberList && rest.isEmpty()) {
      addNumberList(prefix + key, target, key, ListReader.parse(value.asText()));
    } else if (found instanceof ConfigShape.RecordList list) {
      addListOverride(prefix, key, rest, list, target, value);
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
        addTextList(prefix + key, target, key, entry.getValue());
      } else if (found instanceof ConfigShape.NumberList) {
        addNumberList(prefix + key, target, key, entry.getValue());
      } else if (found instanceof ConfigShape.RecordList list) {
        addList(prefix, key, list, target, entry.getValue());
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
    given.add(path);
    try {
      target.set(key, ScalarReader.read(leaf, value));
    } catch (IllegalArgumentException | ArithmeticException e) {
      String shown = value.isValueNode() ? value.asText() : value.toString();
      problems.add(path + ": '" + Secrets.masked(path, shown) + "' " + e.getMessage());
    }
  }

  private void addTextList(String path, ObjectNode target, String key, JsonNode value) {
    try {
      target.set(key, ListReader.texts(value));
    } catch (IllegalArgumentException e) {
      problems.add(path + ": " + e.getMessage());
    }
  }

  private void addNumberList(String path, ObjectNode target, String key, JsonNode value) {
    try {
      target.set(key, ListReader.wholeNumbers(value));
    } catch (IllegalArgumentException e) {
      problems.add(path + ": " + e.getMessage());
    }
  }

  /** A list is overridden as a whole, in the flow style of YAML. */
  private void addListOverride(
      String prefix,
      String key,
      String rest,
      ConfigShape.RecordList list,
      ObjectNode target,
      JsonNode value) {
    String path = prefix + key;
    if (!rest.isEmpty()) {
      problems.add(path + "." + rest + ": " + wholeList(path));
      return;
    }
    try {
      addList(prefix, key, list, target, ConfigLoader.parse(value.asText()));
    } catch (JsonProcessingException e) {
      problems.add(path + ": '" + value.asText() + "' is not YAML: " + e.getOriginalMessage());
    }
  }

  private void addList(
      String prefix, String key, ConfigShape.RecordList list, ObjectNode target, JsonNode value) {
    String path = prefix + key;
    if (!value.isArray()) {
      boolean empty = value.isNull() || value.isMissingNode();
      String shown = value.isValueNode() ? value.asText() : value.toString();
      problems.add(
          path + (empty ? ": must have a value" : ": '" + shown + "' must be a list of sections"));
      return;
    }
    ArrayNode entries = target.putArray(key);
    for (JsonNode entry : value) {
      String entryPrefix = path + "[" + entries.size() + "].";
      ObjectNode defaults = list.entryDefaults().deepCopy();
      entries.add(defaults);
      addSection(entryPrefix, list.entry(), defaults, entry);
    }
    lists.put(path, new GivenList(prefix, list, target));
  }

  /**
   * Unsets what the given lists stand in the place of. To be called once, after everything was laid
   * over the tree.
   */
  void settle() {
    lists.forEach(
        (path, list) -> {
          for (String other : list.shape().insteadOf()) {
            if (given.contains(list.prefix() + other)) {
              problems.add(
                  path
                      + ": cannot stand beside "
                      + list.prefix()
                      + other
                      + ": give one of the two");
            }
            list.section().putNull(other);
          }
        });
  }

  private static String wholeList(String path) {
    return "a list is given as a whole: " + path + "=[{...}, {...}]";
  }

  private static String withoutIndex(String key) {
    int bracket = key.indexOf('[');
    return bracket < 0 ? key : key.substring(0, bracket);
  }

  private static String unknownKey(String prefix, ConfigShape.Section section, String key) {
    return prefix + key + ": unknown key" + KnownKeys.hint(key, section.keys().keySet());
  }

  private static String withoutDot(String prefix) {
    return prefix.substring(0, prefix.length() - 1);
  }
}
