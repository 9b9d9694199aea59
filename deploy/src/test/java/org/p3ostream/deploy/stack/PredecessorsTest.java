package org.p3ostream.deploy.stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class PredecessorsTest {

  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path directory;
  private final List<String> notices = new ArrayList<>();

  @Test
  void awaitTellsTheProcessAndReturnsWhenItHasEnded() {
    ChildProcess child = start();

    Predecessors.await(
        directory,
        LONG,
        notice -> {
          notices.add(notice);
          child.terminate();
        });

    assertThat(child.awaitExit(LONG)).isTrue();
    assertThat(notices)
        .singleElement()
        .asString()
        .contains("waiting for process " + child.pid(), below("child.lock"));
  }

  @Test
  void awaitGivesUpOnAProcessThatDoesNotEnd() {
    try (ChildProcess child = start()) {
      child.pause();
      assertThatThrownBy(() -> Predecessors.await(directory, Duration.ofMillis(1), notices::add))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("process " + child.pid())
          .hasMessageEndingWith("; end it");
    }
  }

  @Test
  void awaitPassesOverLocksOfNobodyAndOfOthers() throws Exception {
    Files.writeString(directory.resolve("learner.lock"), "1");
    Files.writeString(directory.resolve(".lock"), "");
    Predecessors.await(directory, notices::add);
    Predecessors.await(directory.resolve("missing"), notices::add);
    assertThat(notices).isEmpty();
  }

  private ChildProcess start() {
    Path below = directory.resolve("below");
    ChildProcess child =
        ChildProcess.start(
            JvmCommand.ofOwnClassPath("child", below, ChildPrograms.Waits.class, List.of())
                .withQuickWarmUp()
                .asTheOnlyOne());
    Readiness.await(child, LONG, () -> child.lastLogLines(1).contains("waiting"));
    return child;
  }

  private String below(String name) {
    return directory.resolve("below").resolve(name).toString();
  }
}
