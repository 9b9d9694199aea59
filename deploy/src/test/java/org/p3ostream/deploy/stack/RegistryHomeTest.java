package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistryHomeTest {

  @Test
  void inNamesTheDirectoryWhenItHoldsNoRegistry(@TempDir Path directory) {
    assertThatThrownBy(() -> RegistryHome.in(directory))
        .hasMessageContaining(directory.toString())
        .hasMessageContaining("-runner.jar");
  }

  @Test
  void inNamesTheDirectoryWhenItIsMissing(@TempDir Path directory) {
    assertThatThrownBy(() -> RegistryHome.in(directory.resolve("none")))
        .hasMessageContaining("none")
        .hasMessageContaining("build it first");
  }
}
