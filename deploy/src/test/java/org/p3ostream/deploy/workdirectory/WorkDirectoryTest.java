package org.p3ostream.deploy.workdirectory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
}
