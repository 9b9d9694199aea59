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
    return start(command("learner", List.of("learner"), "-Xmx512m"));
  }

  /**
   * @param number counted from 1
   */
  ChildProcess startProducer(int number) {
    return start(
        command(
            "producer-" + number,
            List.of("producer", "--set", "producer.id=" + number),
            "-Xmx384m"));
  }

  /** Metrics can wait a moment; the learner need not wait for those who look at it. */
  ChildProcess startStreams() {
    return start(command("streams", List.of("streams"), "-Xmx256m").thatYields());
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

  private synchronized ChildProcess start(JvmCommand command) {
    if (closed) {
      throw new IllegalStateException(command.name() + " cannot start: the demo has ended");
    }
    ChildProcess child = ChildProcess.start(command);
    running.add(child);
    return child;
  }

  private JvmCommand command(String name, List<String> command, String maxHeap) {
    List<String> arguments = new ArrayList<>(command);
    arguments.add("--broker-timeout");
    arguments.add(STACK_TIMEOUT);
    arguments.add("--config");
    arguments.add(directory.configuration().toString());
    return JvmCommand.ofOwnClassPath(name, directory.root(), commandLine, arguments)
        .withTorch()
        .withQuickWarmUp()
        .withJvmFlags(maxHeap, "-Djava.io.tmpdir=" + directory.scratch())
        .asTheOnlyOne();
  }
}
