package org.p3ostream.deploy.workdirectory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;

@Timeout(60)
class WorkDirectoryClaimTest {

  @TempDir private Path parent;
  private WorkDirectory directory;

  @BeforeEach
  void makeDirectory() throws Exception {
    directory = new WorkDirectory(Files.createDirectory(parent.resolve("run")), false);
  }

  /** Claims the directory in its argument and says so. */
  public static final class Holds {
    public static void main(String[] arguments) throws Exception {
      WorkDirectory directory = new WorkDirectory(Path.of(arguments[0]), false);
      try (WorkDirectoryClaim claim = WorkDirectoryClaim.take(directory, "p3o demo")) {
        System.out.println("holds " + claim);
        Thread.currentThread().join();
      }
    }
  }

  @Test
  void takeNamesTheProcessThatHoldsTheDirectory() throws Exception {
    try (ChildProcess holder = holder()) {
      assertThatThrownBy(() -> WorkDirectoryClaim.take(directory, "p3o audit"))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining(
              "%s is in use by p3o demo, process %d", directory.root(), holder.pid());
    }
  }

  @Test
  void takeSucceedsWhenTheHolderWasKilled() throws Exception {
    ChildProcess holder = holder();
    holder.kill();
    assertThat(directory.root().resolve(WorkDirectoryClaim.FILE_NAME))
        .content()
        .contains("p3o demo");
    WorkDirectoryClaim.take(directory, "p3o demo").close();
  }

  @Test
  void takeRefusesASecondTimeInTheSameProcess() {
    WorkDirectoryClaim first = WorkDirectoryClaim.take(directory, "p3o demo");
    assertThatThrownBy(() -> WorkDirectoryClaim.take(directory, "p3o demo"))
        .hasMessageContaining("is in use by p3o demo, process " + ProcessHandle.current().pid());
    first.close();
    WorkDirectoryClaim.take(directory, "p3o demo").close();
  }

  private ChildProcess holder() throws InterruptedException {
    ChildProcess holder =
        ChildProcess.start(
            JvmCommand.ofOwnClassPath(
                    "holder", parent, Holds.class, List.of(directory.root().toString()))
                .withQuickWarmUp());
    while (holder.lastLogLines(1).stream().noneMatch(line -> line.startsWith("holds"))) {
      holder.requireAlive();
      Thread.sleep(20);
    }
    return holder;
  }
}
