package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClassArchiveTest {

  @TempDir private Path directory;

  @AfterEach
  void forget() {
    System.clearProperty(ClassArchive.PROPERTY);
  }

  @Test
  void jvmFlagsNameTheArchiveOfTheProgram() throws IOException {
    Path archive = Files.createFile(directory.resolve("registry.jsa"));
    System.setProperty(ClassArchive.PROPERTY, directory.toString());

    assertThat(ClassArchive.REGISTRY.jvmFlags())
        .containsExactly("-XX:SharedArchiveFile=" + archive, "-Xshare:auto");
  }

  @Test
  void jvmFlagsAreEmptyWithoutAnArchive() {
    System.setProperty(ClassArchive.PROPERTY, directory.toString());

    assertThat(ClassArchive.OWN.jvmFlags()).isEmpty();
  }

  @Test
  void jvmFlagsAreEmptyWithoutADirectory() {
    assertThat(ClassArchive.OWN.jvmFlags()).isEmpty();
  }
}
