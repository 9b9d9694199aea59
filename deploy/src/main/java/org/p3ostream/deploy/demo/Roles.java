package org.p3ostream.deploy.demo;

import java.util.ArrayList;
import java.util.List;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;
import org.p3ostream.deploy.workdirectory.WorkDirectory;

/** The roles of a run as child processes. */
final class Roles implements AutoCloseable {

  /** Roles start beside broker and registry, and are not to give up before those do. */
  private static final String STACK_TIMEOUT = "3m";

  private final WorkDirectory directory;
  private final Class<?> commandLine;
  private final List<ChildProcess> running = new ArrayList<>();
  private boolean closed;

  /**
   * @param commandLine main class whose commands the roles are
   */
  Roles(WorkDirectory directory, Class<?> commandLine) {
    this.directory = directory;
    this.commandLine = commandLine;
  }

  ChildProcess startLearner() {
    return start("learner", List.of("learner"), "-Xmx512m");
  }

  /**
   * @param number counted from 1
   */
  ChildProcess startProducer(int number) {
    return start(
        "producer-" + number, List.of("producer", "--set", "producer.id=" + number), "-Xmx384m");
  }

  ChildProcess startStreams() {
    return start("streams", List.of("streams"), "-Xmx256m");
  }

  /** All that were started. */
  synchronized List<ChildProcess> all() {
    return List.copyOf(running);
  }

  /** Ends all of them, side by side. */
  @Override
  public void close() {
    List<ChildProcess> children = refuseMore();
    children.forEach(ChildProcess::terminate);
    children.forEach(ChildProcess::close);
  }

  private synchronized List<ChildProcess> refuseMore() {
    closed = true;
    return all();
  }

  private synchronized ChildProcess start(String name, List<String> command, String maxHeap) {
    if (closed) {
      throw new IllegalStateException(name + " cannot start: the demo has ended");
    }
    List<String> arguments = new ArrayList<>(command);
    arguments.add("--broker-timeout");
    arguments.add(STACK_TIMEOUT);
    arguments.add("--config");
    arguments.add(directory.configuration().toString());
    ChildProcess child =
        ChildProcess.start(
            JvmCommand.ofOwnClassPath(name, directory.root(), commandLine, arguments)
                .withTorch()
                .withQuickWarmUp()
                .withJvmFlags(maxHeap, "-Djava.io.tmpdir=" + directory.scratch())
                .asTheOnlyOne());
    running.add(child);
    return child;
  }
}
