package org.p3ostream.deploy.loss;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.p3ostream.deploy.config.ConfigException;

/** Reads tokens, one after the other, and holds the newest. */
final class TokenParser {

  /** Numbers that a token may hold. */
  enum Figure {
    LOGPROB("logprob", true),
    BEHAVIOR_LOGPROB("behavior_logprob", true),
    ADVANTAGE("advantage", true),
    PROXIMAL_LOGPROB("proximal_logprob", false),
    STALENESS("staleness", false);

    private static final Map<String, Figure> BY_FIELD =
        Arrays.stream(values()).collect(Collectors.toMap(f -> f.field, Function.identity()));

    private final String field;
    private final boolean required;

    Figure(String field, boolean required) {
      this.field = field;
      this.required = required;
    }
  }

  private static final String MASK = "mask";
  private static final String RESPONSE = "response";

  private final double[] values = new double[Figure.values().length]; // NaN = missing
  private final boolean[] given = new boolean[values.length];
  private final int[] lines = new int[values.length];
  private final Set<String> unknownFields = new TreeSet<>();
  private boolean valid;
  private int response;

  /** NaN where the token does not hold it. */
  double value(Figure figure) {
    return values[figure.ordinal()];
  }

  boolean isValid() {
    return valid;
  }

  /** The response it belongs to; 0 where it does not say. */
  int response() {
    return response;
  }

  /** Fields of all tokens so far that mean nothing here. */
  Set<String> unknownFields() {
    return unknownFields;
  }

  /**
   * Reads the token that {@code json} stands before.
   *
   * @param path of the token, for messages
   * @param place where {@code json} is
   * @throws ConfigException naming line, field and rule
   */
  void read(JsonParser json, String path, Place place) throws IOException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw place.problem(json, path, shown(json) + " must be an object: one token");
    }
    Arrays.fill(values, Double.NaN);
    Arrays.fill(given, false);
    Arrays.fill(lines, place.line(json));
    valid = true;
    response = 0;
    while (json.nextToken() != JsonToken.END_OBJECT) {
      String field = json.currentName();
      json.nextToken();
      readField(json, field, path, place);
    }
    if (valid) {
      requireFigures(path, place);
    }
  }

  private void readField(JsonParser json, String field, String path, Place place)
      throws IOException {
    Figure figure = Figure.BY_FIELD.get(field);
    if (figure != null) {
      given[figure.ordinal()] = json.currentToken() != JsonToken.VALUE_NULL;
      values[figure.ordinal()] = number(json, path + "." + field, place);
      lines[figure.ordinal()] = place.line(json);
    } else if (field.equals(MASK)) {
      valid = mask(json, path, place);
    } else if (field.equals(RESPONSE)) {
      if (json.currentToken() != JsonToken.VALUE_NUMBER_INT
          || json.getNumberType() != JsonParser.NumberType.INT) {
        throw place.problem(json, path + "." + field, shown(json) + " must be a whole number");
      }
      response = json.getIntValue();
    } else {
      unknownFields.add(field);
      json.skipChildren();
    }
  }

  private static double number(JsonParser json, String path, Place place) throws IOException {
    return switch (json.currentToken()) {
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_NULL -> Double.NaN;
      default -> throw place.problem(json, path, shown(json) + " must be a number");
    };
  }

  private static boolean mask(JsonParser json, String path, Place place) throws IOException {
    switch (json.currentToken()) {
      case VALUE_TRUE:
        return true;
      case VALUE_FALSE:
        return false;
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT:
        double number = json.getDoubleValue();
        if (number == 0 || number == 1) {
          return number == 1;
        }
        break;
      default:
    }
    throw place.problem(
        json, path + "." + MASK, shown(json) + " must be 0 (left out) or 1 (taken in)");
  }

  private void requireFigures(String path, Place place) {
    for (Figure figure : Figure.values()) {
      int i = figure.ordinal();
      String where = path + "." + figure.field;
      if (figure.required && !given[i]) {
        throw place.problem(
            lines[i],
            where,
            "is missing; it must be there where mask is 1" + Place.insteadOf(unknownFields));
      }
      if (given[i] && !Double.isFinite(values[i])) {
        throw place.problem(lines[i], where, values[i] + " must be finite where mask is 1");
      }
    }
    double staleness = value(Figure.STALENESS);
    if (staleness < 0 || given[Figure.STALENESS.ordinal()] && staleness != Math.rint(staleness)) {
      throw place.problem(
          lines[Figure.STALENESS.ordinal()],
          path + ".staleness",
          staleness + " must be a whole number of policy versions, >= 0");
    }
  }

  private static String shown(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING -> "'" + json.getText() + "'";
      default -> json.getText();
    };
  }
}
