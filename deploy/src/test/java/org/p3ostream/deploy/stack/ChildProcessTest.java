package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ChildProcessTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;

  @Test
  void requireAliveTellsStatusAndLastLogLinesWhenTheChildDied() {
    try (ChildProcess child = start(ChildPrograms.Fails.class)) {
      assertThat(child.awaitExit(LONG)).isTrue();
      assertThatThrownBy(child::requireAlive)
          .isInstanceOf(ChildDiedException.class)
          .hasMessageContaining("exit code 7")
          .hasMessageContaining("child.log")
          .hasMessageContaining("first line")
          .hasMessageContaining("last word");
    }
  }

  @Test
  void requireAlivePassesWhileTheChildRuns() {
    try (ChildProcess child = start(ChildPrograms.Waits.class)) {
      child.requireAlive();
      assertThat(child.isAlive()).isTrue();
    }
  }

  @Test
  void closeAsksTheChildToEnd() {
    ChildProcess child = start(ChildPrograms.Waits.class);
    Readiness.await(child, LONG, () -> child.lastLogLines(1).contains("waiting"));
    child.close();
    assertThat(child.exitCode()).isEqualTo(128 + 15);
  }

  @Test
  void interruptOfTheTerminalDoesNotReachTheChild() throws Exception {
    try (ChildProcess child = start(ChildPrograms.Waits.class)) {
      Readiness.await(child, LONG, () -> child.lastLogLines(1).contains("waiting"));
      new ProcessBuilder("kill", "-INT", Long.toString(child.pid())).start().waitFor();
      child.close();
      assertThat(child.exitCode()).as("ended by SIGTERM, not by SIGINT").isEqualTo(128 + 15);
    }
  }

  @Test
  void killIsNotAskedFor() {
    ChildProcess child = start(ChildPrograms.Waits.class);
    child.kill();
    assertThat(child.exitCode()).isEqualTo(128 + 9);
  }

  @Test
  void childEndsWhenItsParentIsKilled() throws Exception {
    Path pidFile = directory.resolve("pid");
    ChildProcess parent = start(ChildPrograms.IsAParent.class, directory.toString());
    Readiness.await(parent, LONG, () -> Files.exists(pidFile));
    ProcessHandle grandchild =
        ProcessHandle.of(Long.parseLong(Files.readString(pidFile))).orElseThrow();
    assertThat(grandchild.isAlive()).isTrue();

    parent.kill();

    grandchild.onExit().get(LONG.toSeconds(), TimeUnit.SECONDS);
    assertThat(grandchild.isAlive()).isFalse();
  }

  @Test
  void awaitTellsTheLogWhenTheChildDiesBeforeItIsReady() {
    try (ChildProcess child = start(ChildPrograms.Fails.class)) {
      assertThatThrownBy(() -> Readiness.await(child, LONG, () -> false))
          .isInstanceOf(ChildDiedException.class)
          .hasMessageContaining("last word");
    }
  }

  @Test
  void startSetsTheEnvironmentOfProgramsThatCompute() {
    JvmCommand command =
        JvmCommand.ofOwnClassPath("child", directory, ChildPrograms.Waits.class, List.of())
            .withTorch();
    assertThat(command.environment())
        .containsEntry("OMP_NUM_THREADS", "1")
        .containsEntry("OMP_WAIT_POLICY", "PASSIVE")
        .containsEntry("MKL_CBWR", "AVX2");
    assertThat(command.commandLine()).contains("-Dai.djl.offline=true");
  }

  private ChildProcess start(Class<?> main, String... arguments) {
    return ChildProcess.start(
        JvmCommand.ofOwnClassPath("child", directory, main, List.of(arguments))
            .withJvmFlags("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
  }
}
