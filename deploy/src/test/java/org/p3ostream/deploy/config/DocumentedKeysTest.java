package org.p3ostream.deploy.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whoever looks for a key by its path finds it in the documentation. */
class DocumentedKeysTest {

  private static final Path ROOT = Path.of("..");

  @Test
  void everyKeyIsNamedByItsPathInTheDocumentation() throws IOException {
    String documentation = documentation();
    List<String> paths = new ArrayList<>();
    collect("", ConfigShape.of(P3oConfig.class), paths);

    assertThat(paths)
        .hasSizeGreaterThan(100)
        .contains("optimizer.scheduleSteps", "serde.settings", "producer.mixture[].precision");
    assertThat(paths.stream().filter(path -> !names(documentation, path)))
        .as("keys that neither README.md nor a page in docs names by their path")
        .isEmpty();
  }

  private static void collect(String path, ConfigShape shape, List<String> paths) {
    if (shape instanceof ConfigShape.Section section) {
      section
          .keys()
          .forEach((key, value) -> collect(path.isEmpty() ? key : path + "." + key, value, paths));
    } else if (shape instanceof ConfigShape.RecordList list) {
      collect(path + "[]", list.entry(), paths);
    } else {
      paths.add(path);
    }
  }

  /** Not as the end or the beginning of another key. */
  private static boolean names(String documentation, String path) {
    return Pattern.compile("(?<![\\w.])" + Pattern.quote(path) + "(?!\\w)")
        .matcher(documentation)
        .find();
  }

  private static String documentation() throws IOException {
    StringBuilder text = new StringBuilder(Files.readString(ROOT.resolve("README.md")));
    try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
      for (Path page : pages.filter(file -> file.toString().endsWith(".md")).toList()) {
        text.append('\n').append(Files.readString(page));
      }
    }
    return text.toString();
  }
}
