package org.p3ostream.deploy.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Reads one value as the declared type of its key. Values given as text (overrides on the command
 * line, quoted YAML) are read like unquoted ones.
 */
final class ScalarReader {

  /** Types of whole numbers, each with the largest. */
  private static final Map<Class<?>, Long> LARGEST =
      Map.of(
          long.class, Long.MAX_VALUE,
          int.class, (long) Integer.MAX_VALUE,
          Integer.class, (long) Integer.MAX_VALUE,
          short.class, (long) Short.MAX_VALUE);

  private ScalarReader() {}

  /**
   * {@code given} in the form that binds to {@code shape}.
   *
   * @throws IllegalArgumentException with the rule that {@code given} breaks
   */
  static JsonNode read(ConfigShape.Value shape, JsonNode given) {
    Class<?> type = shape.type();
    if (!given.isValueNode()) {
      throw new IllegalArgumentException("must be a single value");
    }
    if (type == boolean.class || type == Boolean.class) {
      return readBoolean(given.asText());
    }
    if (type == double.class || type == Double.class) {
      return readDouble(given.asText());
    }
    if (LARGEST.containsKey(type)) {
      return LongNode.valueOf(readWholeNumber(shape, given.asText()));
    }
    if (type == Duration.class) {
      return TextNode.valueOf(DurationFormat.format(DurationFormat.parse(given.asText())));
    }
    if (type.isEnum()) {
      return readEnum(type, given.asText());
    }
    if (type == String.class) {
      return readText(given);
    }
    throw new IllegalStateException("no reader for " + type + " of " + shape.name());
  }

  private static JsonNode readBoolean(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "true" -> BooleanNode.TRUE;
      case "false" -> BooleanNode.FALSE;
      default -> throw new IllegalArgumentException("must be true or false");
    };
  }

  private static JsonNode readDouble(String text) {
    try {
      double number = Double.parseDouble(text.strip());
      if (Double.isFinite(number)) {
        return DoubleNode.valueOf(number);
      }
    } catch (NumberFormatException e) {
      // Falls through to the one message for both.
    }
    throw new IllegalArgumentException("must be a finite number");
  }

  private static long readWholeNumber(ConfigShape.Value shape, String text) {
    long number = readNumberWithUnit(shape.name(), text.strip());
    long limit = LARGEST.getOrDefault(shape.type(), 0L);
    if (number > limit || number < -limit) {
      throw new IllegalArgumentException("must be at most " + limit + " in magnitude");
    }
    return number;
  }

  private static long readNumberWithUnit(String name, String text) {
    if (text.matches("[+-]?\\d{1,18}")) {
      return Long.parseLong(text);
    }
    if (name.endsWith("Bytes")) {
      return SizeFormat.parseBytes(text);
    }
    if (name.endsWith("Millis") || name.endsWith("Ms")) {
      return DurationFormat.parse(text).toMillis();
    }
    if (name.endsWith("Seconds")) {
      return wholeSeconds(DurationFormat.parse(text));
    }
    throw new IllegalArgumentException("must be a whole number");
  }

  private static long wholeSeconds(Duration duration) {
    if (duration.toMillisPart() != 0) {
      throw new IllegalArgumentException("must be whole seconds");
    }
    return duration.toSeconds();
  }

  private static JsonNode readEnum(Class<?> type, String text) {
    Object[] constants = type.getEnumConstants();
    for (Object constant : constants) {
      if (spelling(constant).equals(spelling(text))) {
        return TextNode.valueOf(((Enum<?>) constant).name());
      }
    }
    throw new IllegalArgumentException(
        "must be one of "
            + Arrays.stream(constants)
                .map(ScalarReader::spelling)
                .collect(Collectors.joining(", ")));
  }

  private static String spelling(Object constant) {
    return constant.toString().strip().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static JsonNode readText(JsonNode given) {
    if (given.isTextual() || given.isIntegralNumber()) {
      return TextNode.valueOf(given.asText());
    }
    throw new IllegalArgumentException("must be text: put it in quotes");
  }
}
