package org.p3ostream.schemas.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.serde.RecordTypes;

class SchemaDocumentationTest {

  @Test
  void everyFieldSaysWhatItMeans() {
    List<String> undocumented = new ArrayList<>();
    for (Schema schema : namedTypes()) {
      if (isBlank(schema.getDoc())) {
        undocumented.add(schema.getFullName());
      }
      if (schema.getType() == Schema.Type.RECORD) {
        schema.getFields().stream()
            .filter(field -> isBlank(field.doc()))
            .forEach(field -> undocumented.add(schema.getFullName() + "." + field.name()));
      }
    }
    assertThat(undocumented).isEmpty();
  }

  @Test
  void everyEnumHasADefaultThatMeansUnknown() {
    List<Schema> enums =
        namedTypes().stream().filter(schema -> schema.getType() == Schema.Type.ENUM).toList();

    assertThat(enums).hasSizeGreaterThanOrEqualTo(6);
    assertThat(enums)
        .allSatisfy(
            schema ->
                assertThat(schema.getEnumDefault())
                    .as(schema.getFullName())
                    .isNotNull()
                    .isEqualTo(schema.getEnumSymbols().get(0)));
  }

  @Test
  void everySchemaFileIsARecordTypeOrPartOfOne() throws IOException {
    Set<String> names = new HashSet<>();
    namedTypes().forEach(schema -> names.add(schema.getName() + ".avsc"));
    try (Stream<Path> files = Files.list(Path.of("src", "main", "avro"))) {
      assertThat(files.map(file -> file.getFileName().toString())).isSubsetOf(names);
    }
  }

  private static Set<Schema> namedTypes() {
    Set<Schema> found = new HashSet<>();
    RecordTypes.schemas().forEach(schema -> walk(schema, found));
    return found;
  }

  private static void walk(Schema schema, Set<Schema> found) {
    switch (schema.getType()) {
      case RECORD -> {
        if (found.add(schema)) {
          schema.getFields().forEach(field -> walk(field.schema(), found));
        }
      }
      case ENUM, FIXED -> found.add(schema);
      case ARRAY -> walk(schema.getElementType(), found);
      case MAP -> walk(schema.getValueType(), found);
      case UNION -> schema.getTypes().forEach(branch -> walk(branch, found));
      default -> {}
    }
  }

  private static boolean isBlank(String doc) {
    return doc == null || doc.isBlank();
  }
}
