package org.p3ostream.deploy.report;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The data of a report as JSON that may stand inside a script element: nothing in it ends the
 * element or a line of the script. Numbers have six digits, which no plot can show more of; what is
 * not finite is null.
 */
final class ReportJson {

  private static final MathContext DIGITS = new MathContext(6);

  /** Columns that a page draws. */
  private static final List<StepColumn> DRAWN =
      List.of(
          StepColumn.STEP,
          StepColumn.STEP_MILLIS,
          StepColumn.REWARD_MEAN,
          StepColumn.NORMALIZED_ESS,
          StepColumn.ADAPTIVE_CAP,
          StepColumn.RATIO_MEAN,
          StepColumn.RATIO_MAX,
          StepColumn.KL_MEAN,
          StepColumn.KL_EXACT_MEAN,
          StepColumn.GRAD_NORM,
          StepColumn.STALENESS_MIN,
          StepColumn.STALENESS_MEAN,
          StepColumn.STALENESS_MAX,
          StepColumn.TOKENS_PER_SECOND,
          StepColumn.WAIT,
          StepColumn.PRE_PASS,
          StepColumn.UPDATE,
          StepColumn.ENCODE,
          StepColumn.PREVIOUS_COMMIT,
          StepColumn.PREVIOUS_CHECKPOINT);

  private final RunReport report;

  private ReportJson(RunReport report) {
    this.report = report;
  }

  static String of(RunReport report) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      json.setCharacterEscapes(new ScriptEscapes());
      new ReportJson(report).write(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e); // a StringWriter throws none
    }
    return text.toString();
  }

  private void write(JsonGenerator json) throws IOException {
    List<StepRow> rows = report.steps().rows();
    int[] chosen = PlotRows.choose(rows);
    json.writeStartObject();
    json.writeStringField("title", report.title());
    json.writeStringField("lede", report.lede());
    json.writeStringField("warning", report.warning());
    writeFacts(json, "figures", report.figures());
    writeFacts(json, "facts", report.facts());
    json.writeStringField("configuration", report.steps().configuration());
    writeMap(json, "environment", new TreeMap<>(report.steps().environment()));
    writeMeanings(json);
    json.writeNumberField("steps", rows.size());
    json.writeObjectFieldStart("columns");
    for (StepColumn column : DRAWN) {
      writeColumn(json, column.title(), column(rows, column), chosen);
    }
    writeColumn(json, "rewardMeanOfTen", RunningMeans.reward(rows), chosen);
    writeColumn(
        json, "trainedTokensPerSecondOfTen", RunningMeans.trainedTokensPerSecond(rows), chosen);
    json.writeEndObject();
    json.writeEndObject();
  }

  private static @Nullable Double[] column(List<StepRow> rows, StepColumn column) {
    @Nullable Double[] values = new Double[rows.size()];
    Arrays.setAll(values, i -> column.finite(rows.get(i)));
    return values;
  }

  private static void writeColumn(
      JsonGenerator json, String name, @Nullable Double[] values, int[] chosen) throws IOException {
    json.writeArrayFieldStart(name);
    for (int i : chosen) {
      @Nullable Double value = values[i];
      if (value == null) {
        json.writeNull();
      } else {
        json.writeNumber(shortest(value));
      }
    }
    json.writeEndArray();
  }

  /** Six digits; whole numbers in full. */
  private static String shortest(double value) {
    if (value == Math.rint(value) && Math.abs(value) < 1e15) {
      return Long.toString((long) value);
    }
    BigDecimal rounded = new BigDecimal(value).round(DIGITS).stripTrailingZeros();
    return rounded.toString();
  }

  private static void writeFacts(JsonGenerator json, String name, List<Fact> facts)
      throws IOException {
    json.writeArrayFieldStart(name);
    for (Fact fact : facts) {
      json.writeStartObject();
      json.writeStringField("name", fact.name());
      json.writeStringField("value", fact.value());
      json.writeStringField("note", fact.note());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private static void writeMap(JsonGenerator json, String name, Map<String, String> values)
      throws IOException {
    json.writeObjectFieldStart(name);
    for (Map.Entry<String, String> value : values.entrySet()) {
      json.writeStringField(value.getKey(), value.getValue());
    }
    json.writeEndObject();
  }

  private static void writeMeanings(JsonGenerator json) throws IOException {
    json.writeObjectFieldStart("meanings");
    for (StepColumn column : StepColumn.values()) {
      json.writeStringField(column.title(), column.meaning());
    }
    json.writeEndObject();
  }
}
