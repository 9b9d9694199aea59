package org.p3ostream.deploy.loss;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A report as one JSON object. Numbers that JSON cannot say are texts ({@code "NaN"}). */
final class LossJson {

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .enable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
          .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
          .build();

  private LossJson() {}

  static void write(LossReport report, String engine, List<String> warnings, Writer out)
      throws IOException {
    try (JsonGenerator json = JSON.createGenerator(out)) {
      json.writeStartObject();
      json.writeStringField("algorithm", report.algorithm);
      json.writeStringField("engine", engine);
      writeList(json, "ess", report.ratios.ess());
      if (report.cap.isEss()) {
        writeList(json, "cap", report.ratios.ess());
      } else {
        writeNumber(json, "cap", report.cap.shared());
      }
      writeNumber(json, "loss", report.losses.loss);
      writeArray(json, "token_loss", report.losses.tokenLoss);
      writeArray(json, "grad", report.losses.gradient);
      json.writeNumberField("valid_tokens", report.ratios.validTokens());
      writeNumber(json, "cap_fraction", report.losses.capFraction);
      writeNumber(json, "clip_fraction", report.losses.clipFraction);
      writeNumber(json, "ratio_mean", report.ratios.mean());
      writeNumber(json, "ratio_std", report.ratios.std());
      writeNumber(json, "ratio_max", report.ratios.max());
      writeNumber(json, "behavior_kl_proxy_mean", report.ratios.klProxyMean());
      json.writeArrayFieldStart("warnings");
      for (String warning : warnings) {
        json.writeString(warning);
      }
      json.writeEndArray();
      json.writeEndObject();
    }
  }

  private static void writeNumber(JsonGenerator json, String field, @Nullable Double value)
      throws IOException {
    json.writeFieldName(field);
    writeNumber(json, value);
  }

  private static void writeNumber(JsonGenerator json, @Nullable Double value) throws IOException {
    if (value == null) {
      json.writeNull();
    } else {
      json.writeNumber(value);
    }
  }

  private static void writeList(JsonGenerator json, String field, List<@Nullable Double> values)
      throws IOException {
    json.writeArrayFieldStart(field);
    for (Double value : values) {
      writeNumber(json, value);
    }
    json.writeEndArray();
  }

  private static void writeArray(JsonGenerator json, String field, double[] values)
      throws IOException {
    json.writeArrayFieldStart(field);
    for (double value : values) {
      json.writeNumber(value);
    }
    json.writeEndArray();
  }
}
