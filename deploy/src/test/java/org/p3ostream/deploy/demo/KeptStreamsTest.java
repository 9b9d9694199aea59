package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.ChildDiedException;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;

class KeptStreamsTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private final List<ChildProcess> started = new ArrayList<>();
  private final List<String> notices = new ArrayList<>();
  private final KeptStreams streams =
      new KeptStreams(() -> started(start(EndsAtOnce.class)), notices::add);

  /** Metrics that cannot work. */
  public static final class EndsAtOnce {
    private EndsAtOnce() {}

    public static void main(String[] arguments) {
      System.exit(7);
    }
  }

  /** Metrics that work. */
  public static final class Stays {
    private Stays() {}

    public static void main(String[] arguments) throws InterruptedException {
      Thread.currentThread().join();
    }
  }

  @Test
  void keepUpThrowsWhenTheMetricsEndedOnceMoreThanTheyMayBeStartedAgain() {
    streams.start();
    for (int restart = 1; restart <= KeptStreams.MOST_RESTARTS; restart++) {
      newest().awaitExit(LONG);
      streams.keepUp();
      assertThat(started).hasSize(1 + restart);
    }
    newest().awaitExit(LONG);

    assertThatThrownBy(streams::keepUp).isInstanceOf(ChildDiedException.class);
    assertThat(started).hasSize(1 + KeptStreams.MOST_RESTARTS);
    assertThat(notices)
        .hasSize(KeptStreams.MOST_RESTARTS)
        .allMatch(notice -> notice.contains("exit code 7"));
  }

  @Test
  void keepUpLeavesMetricsThatWorkAlone() {
    KeptStreams working = new KeptStreams(() -> started(start(Stays.class)), notices::add);
    working.start();
    try (ChildProcess only = newest()) {
      working.keepUp();

      assertThat(started).containsExactly(only);
      assertThat(notices).isEmpty();
    }
  }

  @Test
  void keepUpStartsNothingBeforeItWasStarted() {
    streams.keepUp();

    assertThat(started).isEmpty();
  }

  private ChildProcess started(ChildProcess process) {
    started.add(process);
    return process;
  }

  private ChildProcess newest() {
    return started.get(started.size() - 1);
  }

  private ChildProcess start(Class<?> main) {
    return ChildProcess.start(
        JvmCommand.ofOwnClassPath("metrics", directory, main, List.of())
            .withQuickWarmUp()
            .withJvmFlags("-Xmx64m"));
  }
}
