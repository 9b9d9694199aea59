package org.p3ostream.deploy.loss;

import com.fasterxml.jackson.core.JsonParser;
import java.util.Set;
import org.p3ostream.deploy.config.ConfigException;

/**
 * Where a parser is in a file.
 *
 * @param file name for messages
 * @param linesBefore lines of the file before what the parser was given
 */
record Place(String file, int linesBefore) {

  /** Line of the newest token, from 1. */
  int line(JsonParser json) {
    return linesBefore + Math.max(1, json.currentTokenLocation().getLineNr());
  }

  /** What stands there in place of something that is missing; empty if nothing does. */
  static String insteadOf(Set<String> unknown) {
    return unknown.isEmpty() ? "" : " (unknown here: " + String.join(", ", unknown) + ")";
  }

  ConfigException problem(JsonParser json, String field, String rule) {
    return problem(line(json), field, rule);
  }

  ConfigException problem(int line, String field, String rule) {
    return new ConfigException(
        "%s: line %d: %s%s".formatted(file, line, field.isEmpty() ? "" : field + ": ", rule));
  }
}
