package org.p3ostream.deploy.report;

import java.io.IOException;
import java.util.Arrays;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The steps of a run as CSV (RFC 4180, lines end with LF): one row per step, numbers so exact that
 * reading them back gives the same value, empty for what is not known, NaN and Infinity by name.
 */
public final class StepCsv {

  /** Header row. */
  static final String HEADER =
      Arrays.stream(StepColumn.values()).map(StepColumn::title).collect(Collectors.joining(","));

  private StepCsv() {}

  /** Writes all steps to {@code out}. */
  public static void write(StepSeries steps, Appendable out) throws IOException {
    out.append(HEADER).append('\n');
    for (StepRow row : steps.rows()) {
      StringJoiner line = new StringJoiner(",", "", "\n");
      for (StepColumn column : StepColumn.values()) {
        line.add(text(column.of(row)));
      }
      out.append(line.toString());
    }
  }

  private static String text(@Nullable Object value) {
    return value == null ? "" : value.toString(); // words and digests need no quotes
  }
}
