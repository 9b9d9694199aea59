package org.p3ostream.deploy.experiment.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.p3ostream.deploy.experiment.table.Csv;
import org.p3ostream.deploy.experiment.table.Study;
import org.p3ostream.deploy.experiment.table.Table;
import org.p3ostream.deploy.workdirectory.WorkDirectory;

/** Writes reports. */
public final class StudyReport {

  private StudyReport() {}

  /**
   * Writes all files of a report; each is there whole or as it was before.
   *
   * @param directory created if missing
   * @return the page
   */
  public static Path write(Path directory, Study study) {
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create " + directory, e);
    }
    write(directory.resolve("report.md"), MarkdownReport.of(study));
    for (Table table : StudyTables.files(study)) {
      write(directory.resolve(table.id() + ".csv"), Csv.of(table));
    }
    Path page = directory.resolve("report.html");
    write(page, StudyPage.of(study));
    return page;
  }

  private static void write(Path file, String text) {
    new WorkDirectory(file.resolve("..").normalize(), false)
        .writeWhole(file, part -> Files.writeString(part, text));
  }
}
