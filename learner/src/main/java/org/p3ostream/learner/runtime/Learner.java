package org.p3ostream.learner.runtime;

import java.time.Clock;
import org.p3ostream.learner.config.LearnerSettings;

/** One learner process. */
public final class Learner {

  public Learner(LearnerSettings settings, LearnerClients clients, Clock clock) {
    throw new UnsupportedOperationException("not built yet" + settings + clients + clock);
  }

  /**
   * Runs until the configured number of steps is committed or {@link #stop()} is called. Writes a
   * checkpoint at the end.
   *
   * @throws FencedException if another learner took over
   */
  public void run() {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Asks the learner to end after the step it is in. Safe from any thread, a shutdown hook
   * included.
   */
  public void stop() {
    throw new UnsupportedOperationException("not built yet");
  }
}
