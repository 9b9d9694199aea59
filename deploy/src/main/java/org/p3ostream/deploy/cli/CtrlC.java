package org.p3ostream.deploy.cli;

import org.jline.utils.Signals;

/**
 * Takes Ctrl-C as a wish to end in good order, exit code 0, rather than as the end of the JVM.
 * Another Ctrl-C ends the JVM, should the command not.
 */
final class CtrlC implements AutoCloseable {

  private static final String INTERRUPT = "INT";

  private final Object before;

  /**
   * @param stop asks the command to end; called once, from another thread
   */
  CtrlC(Runnable stop) {
    before =
        Signals.register(
            INTERRUPT,
            () -> {
              Signals.registerDefault(INTERRUPT);
              stop.run();
            });
  }

  @Override
  public void close() {
    Signals.unregister(INTERRUPT, before);
  }
}
