package org.p3ostream.deploy.experiment.table;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table.
 *
 * @param id names its file
 * @param title heading
 * @param note how to read it; may be empty
 * @param rows a cell for each column: a text, a number, or null for what is not known
 */
public record Table(
    String id, String title, String note, List<Column> columns, List<List<@Nullable Object>> rows) {
  public Table {
    columns = List.copyOf(columns);
    rows = Collections.unmodifiableList(rows);
    for (List<@Nullable Object> row : rows) {
      if (row.size() != columns.size()) {
        throw new IllegalArgumentException(
            "table %s: a row of %d cells for %d columns".formatted(id, row.size(), columns.size()));
      }
    }
  }
}
