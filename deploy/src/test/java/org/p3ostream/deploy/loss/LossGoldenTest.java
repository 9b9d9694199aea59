package org.p3ostream.deploy.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Figures of an independent float64 oracle through the command line, from either form of input: the
 * golden case as it is, and its micro-batches as lines.
 */
class LossGoldenTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  @TestFactory
  Stream<DynamicTest> javaEngineAgreesWithTheOracle() throws IOException {
    return tests("java", 1e-12);
  }

  @TestFactory
  Stream<DynamicTest> torchEngineAgreesWithTheOracle() throws IOException {
    return tests("torch", 1e-10);
  }

  private Stream<DynamicTest> tests(String engine, double tolerance) throws IOException {
    List<DynamicTest> tests = new ArrayList<>();
    try (InputStream in =
        Objects.requireNonNull(getClass().getResourceAsStream("golden-losses.json"))) {
      for (JsonNode golden : JSON.readTree(in)) {
        for (var expected : golden.get("expected").properties()) {
          String[] parts = expected.getKey().split("/");
          tests.add(
              DynamicTest.dynamicTest(
                  golden.get("name").asText() + " " + expected.getKey(),
                  () -> compare(golden, parts, engine, expected.getValue(), tolerance)));
        }
      }
    }
    assertThat(tests).hasSize(20);
    return tests.stream();
  }

  private void compare(
      JsonNode golden, String[] parts, String engine, JsonNode expected, double tolerance)
      throws IOException {
    Path whole = directory.resolve("case.json");
    Files.writeString(whole, golden.toString());
    Path lines = directory.resolve("case.jsonl");
    StringBuilder text = new StringBuilder();
    golden.get("micro_batches").forEach(batch -> text.append(batch).append("\n\n"));
    Files.writeString(lines, text);
    for (Path file : List.of(whole, lines)) {
      JsonNode found = JSON.readTree(CommandRun.of(arguments(file, parts, engine)).out());
      expected
          .properties()
          .forEach(e -> same(e.getKey(), found.path(e.getKey()), e.getValue(), tolerance));
    }
  }

  private static String[] arguments(Path file, String[] parts, String engine) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "loss",
                "--input=" + file,
                "--engine=" + engine,
                "--json",
                "--algorithm=" + parts[0]));
    if (parts[0].equals("p3o")) {
      arguments.addAll(List.of("--ess-scope=" + parts[1], "--kl-mode=" + parts[2]));
    } else {
      arguments.add("--clip-low=" + parts[1]);
      arguments.add("--clip-high=" + parts[parts.length - 1]);
    }
    return arguments.toArray(String[]::new);
  }

  private static void same(String key, JsonNode found, JsonNode expected, double tolerance) {
    if (expected.isArray()) {
      assertThat(found).as(key).hasSize(expected.size());
      for (int i = 0; i < expected.size(); i++) {
        same(key + "[" + i + "]", found.get(i), expected.get(i), tolerance);
      }
    } else if (expected.isNull()) {
      assertThat(found.isNull()).as(key).isTrue();
    } else {
      double figure = expected.asDouble();
      assertThat(found.isNumber()).as("%s: %s", key, found).isTrue();
      assertThat(found.asDouble())
          .as(key)
          .isCloseTo(figure, within(tolerance * Math.max(1, Math.abs(figure))));
    }
  }
}
