package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.config.ConfigException;

class DemoDirectoryTest {

  @Test
  void createMakesATemporaryOneWhenNoneIsGiven() throws Exception {
    DemoDirectory directory = DemoDirectory.create(null);
    Files.createDirectories(directory.root().resolve("a/b"));
    Files.writeString(directory.root().resolve("a/b/c"), "x");
    assertThat(directory.temporary()).isTrue();
    directory.delete();
    assertThat(directory.root()).doesNotExist();
  }

  @Test
  void createMakesTheGivenOne(@TempDir Path parent) {
    DemoDirectory directory = DemoDirectory.create(parent.resolve("x/y"));
    assertThat(directory.root()).isDirectory();
    assertThat(directory.temporary()).isFalse();
  }

  @Test
  void createRefusesOneThatIsInUse(@TempDir Path parent) throws Exception {
    Files.writeString(parent.resolve("ledger"), "x");
    assertThatThrownBy(() -> DemoDirectory.create(parent))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(parent.toString());
  }
}
