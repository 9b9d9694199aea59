package org.p3ostream.policy.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Header of a safetensors file: which tensor lies where. The rules are those of the format: tensors
 * fill the data section without holes or overlaps, and each has the bytes its shape and type ask
 * for.
 */
final class SafetensorsHeader {

  /**
   * @param begin first byte in the data section
   * @param end byte after the last
   */
  record Entry(String name, String dtype, List<Long> shape, long begin, long end) {
    Entry {
      shape = List.copyOf(shape);
    }
  }

  private static final String METADATA = "__metadata__";
  private static final int ALIGNMENT_BYTES = 8;
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private SafetensorsHeader() {}

  /**
   * Entries by name, in the order of the data.
   *
   * @param dataBytes size of the data section
   * @throws IllegalArgumentException naming tensor and rule
   */
  static Map<String, Entry> parse(byte[] json, long dataBytes) {
    JsonNode root;
    try {
      root = JSON.readTree(json);
    } catch (IOException e) {
      throw new IllegalArgumentException("header is no JSON: " + e.getMessage(), e);
    }
    if (!root.isObject()) {
      throw new IllegalArgumentException("header is no JSON object");
    }
    List<Entry> entries = new ArrayList<>();
    root.properties()
        .forEach(
            field -> {
              if (!field.getKey().equals(METADATA)) {
                entries.add(entry(field.getKey(), field.getValue()));
              }
            });
    entries.sort(Comparator.comparingLong(Entry::begin).thenComparingLong(Entry::end));
    requireSeamless(entries, dataBytes);
    Map<String, Entry> byName = new LinkedHashMap<>();
    entries.forEach(entry -> byName.put(entry.name(), entry));
    return byName;
  }

  /** JSON of the entries, padded with spaces so that the data section is aligned. */
  static byte[] format(List<Entry> entries) {
    ObjectNode root = JSON.createObjectNode();
    root.putObject(METADATA).put("format", "pt");
    for (Entry entry : entries) {
      ObjectNode node = root.putObject(entry.name());
      node.put("dtype", entry.dtype());
      entry.shape().forEach(node.putArray("shape")::add);
      node.putArray("data_offsets").add(entry.begin()).add(entry.end());
    }
    try {
      String json = JSON.writeValueAsString(root);
      int length = json.getBytes(StandardCharsets.UTF_8).length;
      int padding = Math.floorMod(-length, ALIGNMENT_BYTES);
      return (json + " ".repeat(padding)).getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain values has a JSON form", e);
    }
  }

  private static Entry entry(String name, JsonNode node) {
    JsonNode shape = node.path("shape");
    JsonNode offsets = node.path("data_offsets");
    boolean wellFormed =
        node.path("dtype").isTextual()
            && isCounts(shape)
            && isCounts(offsets)
            && offsets.size() == 2;
    if (!wellFormed) {
      throw new IllegalArgumentException(
          "tensor " + name + ": needs dtype, shape and two data_offsets, has " + node);
    }
    List<Long> dimensions = new ArrayList<>();
    shape.forEach(dimension -> dimensions.add(dimension.longValue()));
    return new Entry(
        name,
        node.path("dtype").textValue(),
        dimensions,
        offsets.get(0).longValue(),
        offsets.get(1).longValue());
  }

  private static boolean isCounts(JsonNode array) {
    if (!array.isArray()) {
      return false;
    }
    for (JsonNode element : array) {
      if (!element.isIntegralNumber() || !element.canConvertToLong() || element.longValue() < 0) {
        return false;
      }
    }
    return true;
  }

  private static void requireSeamless(List<Entry> entries, long dataBytes) {
    long next = 0;
    for (Entry entry : entries) {
      if (entry.begin() != next || entry.end() < entry.begin()) {
        throw new IllegalArgumentException(
            String.format(
                "tensor %s: data_offsets [%d, %d] must begin at %d, where the tensor before ends",
                entry.name(), entry.begin(), entry.end(), next));
      }
      next = entry.end();
    }
    if (next != dataBytes) {
      throw new IllegalArgumentException(
          "tensors end at byte " + next + " of " + dataBytes + " data bytes");
    }
  }
}
