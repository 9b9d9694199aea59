package org.p3ostream.deploy.failpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.failpoint.Failpoint.Moment;
import org.p3ostream.learner.commit.Stage;
import org.p3ostream.learner.commit.StageListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Acts at the {@link Failpoint} that a file holds, once: the file is removed first, so that whoever
 * wrote it knows that the moment came, and a process started afterwards runs on. The file is looked
 * at in every moment and counting begins when it is first seen, so that a running process can be
 * told.
 */
public final class Failpoints implements StageListener {

  /** System property that names the file. Without it nothing here is ever built. */
  public static final String PROPERTY = "p3o.failpoint";

  private static final Logger LOG = LoggerFactory.getLogger(Failpoints.class);

  /** Exit status of a process that a signal 9 ended, as shells tell it. */
  private static final int KILLED = 137;

  private final Path file;
  private final Consumer<Failpoint> act;
  private String armed = "";
  private int count;

  Failpoints(Path file, Consumer<Failpoint> act) {
    this.file = file;
    this.act = act;
  }

  /** The listener of a learner: takes no notice unless {@link #PROPERTY} is set. */
  public static StageListener ofSystemProperty() {
    @Nullable String file = System.getProperty(PROPERTY);
    return file == null ? NONE : new Failpoints(Path.of(file), Failpoints::act);
  }

  @Override
  public void before(Stage stage) {
    reach(Moment.BEFORE, stage);
  }

  @Override
  public void after(Stage stage) {
    reach(Moment.AFTER, stage);
  }

  private void reach(Moment moment, Stage stage) {
    String text = read();
    if (!text.equals(armed)) {
      armed = text;
      count = 0;
    }
    if (text.isEmpty()) {
      return;
    }
    Failpoint failpoint = Failpoint.parse(text);
    if (failpoint.moment() == moment
        && failpoint.stage() == stage
        && ++count == failpoint.count()) {
      remove();
      LOG.warn("failpoint {} reached", failpoint);
      act.accept(failpoint);
    }
  }

  private String read() {
    try {
      return Files.readString(file).strip();
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void remove() {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void act(Failpoint failpoint) {
    switch (failpoint.action()) {
      case KILL -> Runtime.getRuntime().halt(KILLED);
      case STOP -> stopItself();
    }
  }

  /** Returns when somebody has continued this process. */
  private static void stopItself() {
    try {
      new ProcessBuilder("kill", "-STOP", Long.toString(ProcessHandle.current().pid()))
          .start()
          .waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
