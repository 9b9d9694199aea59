package org.p3ostream.deploy.workdirectory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.config.ConfigException;

class WorkDirectoryTest {

  @Test
  void createMakesATemporaryOneWhenNoneIsGiven() throws Exception {
    WorkDirectory directory = WorkDirectory.create(null);
    Files.createDirectories(directory.root().resolve("a/b"));
    Files.writeString(directory.root().resolve("a/b/c"), "x");
    assertThat(directory.temporary()).isTrue();
    directory.delete();
    assertThat(directory.root()).doesNotExist();
  }

  @Test
  void createMakesTheGivenOne(@TempDir Path parent) {
    WorkDirectory directory = WorkDirectory.create(parent.resolve("x/y"));
    assertThat(directory.root()).isDirectory();
    assertThat(directory.temporary()).isFalse();
  }

  @Test
  void createRefusesOneThatIsInUse(@TempDir Path parent) throws Exception {
    Files.writeString(parent.resolve("ledger"), "x");
    assertThatThrownBy(() -> WorkDirectory.create(parent))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(parent.toString());
  }

  @Test
  void createTakesOneWhoseRunNeverBegan(@TempDir Path parent) throws Exception {
    Files.writeString(parent.resolve("in-use"), "");
    Files.writeString(parent.resolve("demo.log"), "");
    Files.writeString(parent.resolve("demo.json.part"), "{");
    assertThat(WorkDirectory.create(parent).root()).isDirectory();
  }

  @Test
  void createPointsToResumptionWhenThereIsARun(@TempDir Path parent) throws Exception {
    Files.writeString(parent.resolve("demo.json"), "{}");
    assertThatThrownBy(() -> WorkDirectory.create(parent))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("holds a run already: --resume");
  }

  @Test
  void existingRefusesOneWithoutARun(@TempDir Path parent) {
    assertThatThrownBy(() -> WorkDirectory.existing(parent.resolve("nowhere")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("nowhere holds no run of p3o demo: it has no demo.json");
  }

  @Test
  void writeWholeLeavesTheOldFileWhenItFails(@TempDir Path parent) throws Exception {
    Path file = parent.resolve("file");
    WorkDirectory directory = new WorkDirectory(parent, false);
    directory.writeWhole(file, part -> Files.writeString(part, "old"));

    assertThatThrownBy(
            () ->
                directory.writeWhole(
                    file,
                    part -> {
                      Files.writeString(part, "ne");
                      throw new IOException("disk full");
                    }))
        .hasMessageContaining(file.toString());

    assertThat(file).hasContent("old");
  }
}
