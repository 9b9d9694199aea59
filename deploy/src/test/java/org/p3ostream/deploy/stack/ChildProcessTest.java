package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
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
  void pauseHoldsTheChildUntilItIsResumed() throws Exception {
    try (ChildProcess child = start(ChildPrograms.Waits.class)) {
      child.pause();
      Readiness.await("the child to stop", LONG, () -> state(child) == 'T');
      assertThat(child.isAlive()).isTrue();

      child.resume();

      Readiness.await("the child to go on", LONG, () -> state(child) != 'T');
      Readiness.await(child, LONG, () -> child.lastLogLines(1).contains("waiting"));
    }
  }

  @Test
  void pauseTellsWhenTheChildHasEnded() {
    try (ChildProcess child = start(ChildPrograms.Fails.class)) {
      assertThat(child.awaitExit(LONG)).isTrue();
      assertThatThrownBy(child::pause)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("SIGSTOP does not reach child");
    }
  }

  @Test
  void closeKillsAChildThatIsPaused() {
    ChildProcess child = start(ChildPrograms.Waits.class);
    Readiness.await(child, LONG, () -> child.lastLogLines(1).contains("waiting"));
    child.pause();
    child.close();
    assertThat(child.exitCode()).isEqualTo(128 + 9);
  }

  @Test
  void theOnlyOneWaitsUntilItsPredecessorHasEnded() {
    ChildProcess first = ChildProcess.start(command(ChildPrograms.Waits.class).asTheOnlyOne());
    Readiness.await(first, LONG, () -> first.lastLogLines(1).contains("waiting"));
    try (ChildProcess second =
        ChildProcess.start(command(ChildPrograms.Waits.class).asTheOnlyOne())) {
      String notice =
          "waiting for process %d to end: it holds %s"
              .formatted(first.pid(), directory.resolve("child.lock"));
      Readiness.await(second, LONG, () -> second.lastLogLines(1).contains(notice));

      first.kill();

      Readiness.await(
          second, LONG, () -> second.lastLogLines(9).equals(List.of("waiting", notice, "waiting")));
    }
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
        .containsEntry("MKL_CBWR", "AVX2")
        .containsEntry("ATEN_CPU_CAPABILITY", "avx2");
    assertThat(command.commandLine()).contains("-Dai.djl.offline=true");
  }

  @Test
  void programThatYieldsHasALowerPriority() {
    try (ChildProcess other = start(ChildPrograms.Waits.class)) {
      try (ChildProcess child =
          ChildProcess.start(command(ChildPrograms.Waits.class).thatYields())) {
        Readiness.await(child, LONG, () -> child.lastLogLines(1).contains("waiting"));
        Readiness.await(other, LONG, () -> other.lastLogLines(1).contains("waiting"));
        int least = 19;
        assertThat(niceness(child)).isEqualTo(Math.min(least, niceness(other) + 5));
      }
    }
  }

  private ChildProcess start(Class<?> main, String... arguments) {
    return ChildProcess.start(command(main, arguments));
  }

  private JvmCommand command(Class<?> main, String... arguments) {
    return JvmCommand.ofOwnClassPath("child", directory, main, List.of(arguments))
        .withJvmFlags("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m");
  }

  /** State of its main thread as the kernel tells it; T is stopped. */
  private static char state(ChildProcess child) {
    return stat(child)[0].charAt(0);
  }

  private static int niceness(ChildProcess child) {
    return Integer.parseInt(stat(child)[16]);
  }

  /** Fields from the third on: what stands before may hold blanks. Source: proc_pid_stat(5). */
  private static String[] stat(ChildProcess child) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(child.pid()), "stat"));
      return stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
