package org.p3ostream.deploy.log;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.p3ostream.schemas.avro.MetricPoint;

/**
 * Which metric points are asked for.
 *
 * @param steps of these steps only
 * @param names globs, one of which the whole name must match: * stands for any characters, slashes
 *     included, ? for one; empty for every name
 */
public record MetricQuery(StepRange steps, List<String> names) {

  public MetricQuery {
    names = List.copyOf(names);
  }

  /** A test of points that knows the globs by heart. */
  Predicate<MetricPoint> test() {
    if (names.isEmpty()) {
      return point -> steps.contains(point.getStep());
    }
    Pattern any =
        Pattern.compile(
            names.stream().map(MetricQuery::expression).collect(Collectors.joining("|")));
    return point -> steps.contains(point.getStep()) && any.matcher(point.getName()).matches();
  }

  private static String expression(String glob) {
    return glob.codePoints().mapToObj(MetricQuery::expression).collect(Collectors.joining());
  }

  private static String expression(int character) {
    return switch (character) {
      case '*' -> ".*";
      case '?' -> ".";
      default -> Pattern.quote(Character.toString(character));
    };
  }
}
