package org.p3ostream.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExperimentCommandTest {

  private final StringWriter err = new StringWriter();
  @TempDir private Path directory;

  @Test
  void discardWithoutResumeExitsWithTwo() {
    String out = directory.resolve("out").toString();
    assertThat(execute("--plan", "none", "--out", out, "--discard")).isEqualTo(2);
    assertThat(err.toString()).contains("--discard: needs --resume");
    assertThat(directory).isEmptyDirectory();
  }

  /** A directory in the place of its file stands for a full disk. */
  @Test
  void experimentThatCannotWriteItsPlanSaysHowToGoOnWithIt() throws Exception {
    Path part = Files.createDirectories(directory.resolve("plan.yaml.part"));
    assertThat(execute("--plan", "smoke", "--out", directory.toString())).isEqualTo(1);
    assertThat(err.toString())
        .contains("to go on: ./p3o experiment --out " + directory + " --resume --plan smoke");
    Files.delete(part);
    Files.writeString(part, "half of it");
    assertThat(execute("--out", directory.toString(), "--resume")).isEqualTo(2);
    assertThat(err.toString()).contains("it has no plan.yaml; --plan begins one");
  }

  private int execute(String... options) {
    String[] args = new String[options.length + 1];
    args[0] = "experiment";
    System.arraycopy(options, 0, args, 1, options.length);
    return P3o.commandLine().setErr(new PrintWriter(err, true)).execute(args);
  }
}
