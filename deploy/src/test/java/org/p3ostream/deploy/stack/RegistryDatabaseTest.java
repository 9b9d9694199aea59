package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistryDatabaseTest {

  @TempDir private Path parent;
  private RegistryDatabase database;
  private Path file;

  @BeforeEach
  void place() {
    database = new RegistryDatabase(parent.resolve("registry"));
    file = parent.resolve("registry/registry.mv.db");
  }

  @Test
  void beginSetsAsideWhatNeverAnswered() throws Exception {
    database.begin();
    Files.writeString(file, "half");
    database.begin();
    assertThat(file).doesNotExist();
    assertThat(parent.resolve("registry/registry.unfinished")).hasContent("half");
    Files.writeString(file, "half again");
    database.begin();
    assertThat(file).doesNotExist();
  }

  @Test
  void beginKeepsWhatHasAnswered() throws Exception {
    database.begin();
    Files.writeString(file, "whole");
    database.finish();
    database.begin();
    database.begin();
    assertThat(file).hasContent("whole");
  }

  @Test
  void beginKeepsADatabaseThatNeverHadAMark() throws Exception {
    Files.createDirectories(file.getParent());
    Files.writeString(file, "whole");
    database.begin();
    database.begin();
    assertThat(file).hasContent("whole");
  }
}
