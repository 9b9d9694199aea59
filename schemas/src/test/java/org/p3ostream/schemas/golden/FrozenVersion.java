package org.p3ostream.schemas.golden;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.avro.Schema;

/**
 * Schemas as they were, and the bytes of {@link RecordSamples} under them, in {@code
 * src/test/resources/frozen/vN}. Whoever changes a record adds a directory {@code vN+1} with the
 * new schema and bytes of that record by running the tests with {@code -Dp3o.freeze=N+1}; older
 * directories stay as they are, since logs hold such records.
 *
 * @param number N, from 1
 * @param name simple name of the record type
 */
record FrozenVersion(int number, String name) {

  private static final Path ROOT = Path.of("src", "test", "resources", "frozen");

  /** All frozen versions of a record type, oldest first. */
  static List<FrozenVersion> of(Schema schema) {
    return IntStream.rangeClosed(1, 100)
        .mapToObj(number -> new FrozenVersion(number, schema.getName()))
        .filter(version -> Files.exists(version.schemaFile()))
        .toList();
  }

  /** Newest frozen version of a record type. */
  static FrozenVersion newestOf(Schema schema) {
    List<FrozenVersion> versions = of(schema);
    if (versions.isEmpty()) {
      throw new AssertionError(schema.getFullName() + " has no frozen version");
    }
    return versions.get(versions.size() - 1);
  }

  Schema schema() {
    return new Schema.Parser().parse(read(schemaFile()));
  }

  /** Avro body of the sample, without the wire header. */
  byte[] sampleBody() {
    return HexFormat.of().parseHex(read(sampleFile()).strip());
  }

  void write(Schema schema, byte[] sampleBody) {
    try {
      Files.createDirectories(schemaFile().getParent());
      Files.writeString(schemaFile(), schema.toString(true) + "\n");
      Files.writeString(sampleFile(), HexFormat.of().formatHex(sampleBody) + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path schemaFile() {
    return ROOT.resolve("v" + number).resolve(name + ".avsc");
  }

  private Path sampleFile() {
    return ROOT.resolve("v" + number).resolve(name + ".hex");
  }

  private static String read(Path file) {
    try {
      return Files.readString(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
