package org.p3ostream.tests.meters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Which metrics queries ask for. */
final class QueriedNames {

  private static final Pattern QUOTED = Pattern.compile("\"(\\\\.|[^\"])*\"|'(\\\\.|[^'])*'");

  /** Not names of metrics: label matchers, ranges, and labels to group by. */
  private static final Pattern ASIDE =
      Pattern.compile(
          "\\{[^}]*}|\\[[^]]*]|\\b(by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");

  /** A word that no bracket follows, which would make it a function. */
  private static final Pattern WORD = Pattern.compile("\\b[a-zA-Z_:][a-zA-Z0-9_:]*\\b(?!\\s*\\()");

  private static final Set<String> OPERATORS =
      Set.of("and", "or", "unless", "bool", "offset", "inf", "nan", "e");

  private QueriedNames() {}

  /** Names in an expression of PromQL. */
  static Set<String> in(String expression) {
    String rest = ASIDE.matcher(QUOTED.matcher(expression).replaceAll("")).replaceAll(" ");
    Set<String> names = new TreeSet<>();
    Matcher word = WORD.matcher(rest);
    while (word.find()) {
      if (!OPERATORS.contains(word.group().toLowerCase(Locale.ROOT))) {
        names.add(word.group());
      }
    }
    return names;
  }

  /** Expressions of all panels and variables of a dashboard. */
  static List<String> ofDashboard(Path file) throws IOException {
    List<String> expressions = new ArrayList<>();
    JsonNode dashboard = new ObjectMapper().readTree(file.toFile());
    dashboard.findValues("expr").forEach(expression -> expressions.add(expression.asText()));
    for (JsonNode variable : dashboard.at("/templating/list")) {
      String definition = variable.path("definition").asText();
      if (definition.startsWith("label_values(")) {
        expressions.add(
            definition.substring("label_values(".length(), definition.lastIndexOf(',')));
      }
    }
    return expressions;
  }

  /** Expressions of all rules. */
  static List<String> ofRules(Path file) throws IOException {
    List<String> expressions = new ArrayList<>();
    JsonNode rules = new YAMLMapper().readTree(file.toFile());
    rules.findValues("expr").forEach(expression -> expressions.add(expression.asText()));
    return expressions;
  }
}
