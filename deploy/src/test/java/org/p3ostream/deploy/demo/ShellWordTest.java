package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ShellWordTest {

  @Test
  void quotedLeavesPlainPathsAlone() {
    assertThat(ShellWord.quoted("/tmp/p3o-demo_1.2/p3o.yaml"))
        .isEqualTo("/tmp/p3o-demo_1.2/p3o.yaml");
  }

  @Test
  void quotedProtectsWhatAShellWouldRead() {
    assertThat(ShellWord.quoted("/a b/$x")).isEqualTo("'/a b/$x'");
    assertThat(ShellWord.quoted("it's")).isEqualTo("'it'\\''s'");
  }
}
