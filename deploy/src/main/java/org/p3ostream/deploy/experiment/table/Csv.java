package org.p3ostream.deploy.experiment.table;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Tables as CSV (RFC 4180, lines end with LF): numbers so exact that reading them back gives the
 * same value, empty for what is not known.
 */
public final class Csv {

  private Csv() {}

  public static String of(Table table) {
    StringBuilder text = new StringBuilder();
    text.append(
            table.columns().stream()
                .map(column -> quoted(column.id()))
                .collect(Collectors.joining(",")))
        .append('\n');
    for (List<@Nullable Object> row : table.rows()) {
      text.append(row.stream().map(Csv::text).collect(Collectors.joining(","))).append('\n');
    }
    return text.toString();
  }

  private static String text(@Nullable Object cell) {
    return cell == null ? "" : quoted(cell.toString());
  }

  private static String quoted(String text) {
    return text.matches("[^,\"\r\n]*") ? text : '"' + text.replace("\"", "\"\"") + '"';
  }
}
