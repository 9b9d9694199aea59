package org.p3ostream.deploy.experiment.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tables as Markdown, numbers rounded to what is worth showing. */
public final class Markdown {

  private Markdown() {}

  /** Heading of the given level, note and table. */
  public static String of(Table table, int level) {
    StringBuilder text = new StringBuilder("#".repeat(level)).append(' ').append(table.title());
    text.append("\n\n");
    if (!table.note().isEmpty()) {
      text.append(table.note()).append("\n\n");
    }
    List<String> heads = new ArrayList<>();
    List<String> rules = new ArrayList<>();
    for (int i = 0; i < table.columns().size(); i++) {
      heads.add(escaped(table.columns().get(i).title()));
      rules.add(isNumeric(table, i) ? "---:" : "---");
    }
    text.append(line(heads)).append(line(rules));
    for (List<@Nullable Object> row : table.rows()) {
      List<String> cells = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        cells.add(escaped(shown(row.get(i), table.columns().get(i))));
      }
      text.append(line(cells));
    }
    return text.append('\n').toString();
  }

  /** A cell as people are shown it. */
  public static String shown(@Nullable Object cell, Column column) {
    if (cell == null) {
      return "–";
    }
    return cell instanceof Double number ? number(number, column.digits()) : cell.toString();
  }

  static String number(double value, int digits) {
    if (Double.isNaN(value)) {
      return "–";
    }
    if (Double.isInfinite(value)) {
      return value > 0 ? "∞" : "−∞";
    }
    return String.format(Locale.ROOT, "%,." + digits + "f", value);
  }

  private static boolean isNumeric(Table table, int column) {
    return table.rows().stream().anyMatch(row -> row.get(column) instanceof Number)
        && table.rows().stream()
            .map(row -> row.get(column))
            .allMatch(cell -> cell == null || cell instanceof Number);
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private static String escaped(String text) {
    return text.replace("|", "\\|").replace("\n", " ");
  }
}
