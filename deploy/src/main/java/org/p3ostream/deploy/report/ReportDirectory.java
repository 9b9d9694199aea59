package org.p3ostream.deploy.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.p3ostream.deploy.config.ConfigException;

/**
 * Where a report is written: {@code report.html} and {@code steps.csv}. An earlier report of ours
 * is replaced, anything else of that name is not; other files of the directory are left alone.
 */
public final class ReportDirectory {

  private static final int HEAD_BYTES = 4096;

  private final Path directory;

  private ReportDirectory(Path directory) {
    this.directory = directory;
  }

  /**
   * Looks at the place, and makes it, before a run begins.
   *
   * @throws ConfigException if a report cannot be written there, or would replace something else
   */
  public static ReportDirectory at(Path directory) {
    ReportDirectory reports = new ReportDirectory(directory.toAbsolutePath().normalize());
    reports.requireUsable();
    return reports;
  }

  /** The page. */
  public Path page() {
    return directory.resolve("report.html");
  }

  /** The steps. */
  public Path steps() {
    return directory.resolve("steps.csv");
  }

  /**
   * Writes the report; what was there before stays until the new file is complete.
   *
   * @throws UncheckedIOException naming the directory if that fails
   */
  public void write(RunReport report) {
    try {
      Files.createDirectories(directory); // someone may have removed it meanwhile
      replace(steps(), out -> StepCsv.write(report.steps(), out));
      replace(page(), out -> out.append(HtmlReport.render(report)));
    } catch (IOException e) {
      throw new UncheckedIOException("--report: cannot write to " + directory + ": " + e, e);
    }
  }

  private interface Content {
    void to(Writer out) throws IOException;
  }

  private static void replace(Path file, Content content) throws IOException {
    Path unfinished = file.resolveSibling(file.getFileName() + ".tmp");
    try (Writer out = Files.newBufferedWriter(unfinished)) {
      content.to(out);
    }
    Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private void requireUsable() {
    Path existing = directory;
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    if (existing == null || !Files.isDirectory(existing) || !Files.isWritable(existing)) {
      throw new ConfigException(
          "--report: " + directory + " must be a directory that can be written or made");
    }
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw new ConfigException("--report: cannot make " + directory + ": " + e.getMessage());
    }
    requireOurs(page(), HtmlTemplate.MARK);
    requireOurs(steps(), StepCsv.HEADER.substring(0, StepCsv.HEADER.indexOf("rewardMean")));
  }

  private static void requireOurs(Path file, String mark) {
    if (Files.exists(file) && !(Files.isRegularFile(file) && head(file).contains(mark))) {
      throw new ConfigException(
          "--report: " + file + " is not a report of p3o and must not be replaced");
    }
  }

  private static String head(Path file) {
    try (InputStream stream = Files.newInputStream(file)) {
      return new String(stream.readNBytes(HEAD_BYTES), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new ConfigException("--report: cannot read " + file + ": " + e);
    }
  }
}
