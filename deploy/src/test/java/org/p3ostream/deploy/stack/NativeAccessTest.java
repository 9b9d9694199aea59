package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class NativeAccessTest {

  @Test
  void jvmFlagsAreEmptyForTheOldestVersion() {
    assertThat(NativeAccess.jvmFlags(17)).isEmpty();
  }

  @Test
  void jvmFlagsLetNewerVersionsLoadLibraries() {
    assertThat(NativeAccess.jvmFlags(25)).contains("--enable-native-access=ALL-UNNAMED");
  }

  @Test
  void jvmFlagsAreKnownToThisJava() throws IOException, InterruptedException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(NativeAccess.jvmFlags(Runtime.version().feature()));
    line.add("-version");
    Process java = new ProcessBuilder(line).redirectErrorStream(true).start();
    String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(java.waitFor()).as(output).isZero();
  }
}
