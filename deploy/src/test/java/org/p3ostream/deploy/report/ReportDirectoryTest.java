package org.p3ostream.deploy.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.deploy.config.ConfigException;

class ReportDirectoryTest {

  @TempDir private Path directory;

  @Test
  void atMakesTheDirectorySoThatAnImpossibleOneIsFoundBeforeTheRun() {
    ReportDirectory.at(directory.resolve("a/b"));

    assertThat(directory.resolve("a/b")).isEmptyDirectory();
  }

  @Test
  void atRefusesAPlaceWhereNoDirectoryCanBeMade() {
    Path impossible = Path.of("/proc/p3o-report");

    assertThatThrownBy(() -> ReportDirectory.at(impossible))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("--report: ")
        .hasMessageContaining(impossible.toString());
  }

  @Test
  void writeMakesTheDirectoryWithPageAndSteps() throws Exception {
    ReportDirectory reports = ReportDirectory.at(directory.resolve("a/b"));

    reports.write(report(3));

    try (Stream<Path> files = Files.list(directory.resolve("a/b"))) {
      assertThat(files).containsExactlyInAnyOrder(reports.page(), reports.steps());
    }
    assertThat(reports.steps()).content().hasLineCount(4);
    assertThat(reports.page()).content().startsWith("<!doctype html>").endsWith("</html>\n");
  }

  @Test
  void writeReplacesAnEarlierReportAndLeavesOtherFilesAlone() throws Exception {
    Files.writeString(directory.resolve("notes.txt"), "mine");
    ReportDirectory.at(directory).write(report(3));

    ReportDirectory.at(directory).write(report(5));

    assertThat(directory.resolve("steps.csv")).content().hasLineCount(6);
    assertThat(directory.resolve("notes.txt")).hasContent("mine");
  }

  @ParameterizedTest
  @ValueSource(strings = {"report.html", "steps.csv"})
  void atThrowsWhenAFileOfThatNameIsNotAReport(String name) throws Exception {
    Files.writeString(directory.resolve(name), "<html>mine</html>");

    assertThatThrownBy(() -> ReportDirectory.at(directory))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("--report: " + directory.resolve(name) + " is not a report of p3o");
  }

  @Test
  void atThrowsWhenAFileIsInTheWay() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");

    assertThatThrownBy(() -> ReportDirectory.at(file.resolve("below")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("must be a directory that can be written or made");
  }

  private static RunReport report(int steps) {
    return new RunReport("t", "l", null, List.of(), List.of(), Series.ofSteps(steps));
  }
}
