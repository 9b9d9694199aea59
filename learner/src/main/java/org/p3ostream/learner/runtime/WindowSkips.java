package org.p3ostream.learner.runtime;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.ledger.LedgerState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Windows that an operator wants passed instead of trained. Kept until they are reached. */
final class WindowSkips {
  private static final Logger LOG = LoggerFactory.getLogger(WindowSkips.class);

  private final TreeSet<Long> windows;

  WindowSkips(Collection<Long> windows) {
    this.windows = new TreeSet<>(windows);
  }

  /**
   * Drops those that the run has skipped already, so that a learner may be started again as it was.
   *
   * @throws ConfigurationException if a window was settled otherwise
   */
  void startFrom(LedgerState ledger) {
    for (long window : List.copyOf(windows.headSet(ledger.nextWindow()))) {
      if (!ledger.wasSkipped(window)) {
        throw new ConfigurationException(
            "--skip-window %d: that window is settled, the next one is %d; what was trained stays trained"
                .formatted(window, ledger.nextWindow()));
      }
      LOG.info("window {} was skipped already", window);
      windows.remove(window);
    }
  }

  boolean contains(long window) {
    return windows.contains(window);
  }

  /** Says which windows the run has not come to. */
  void conclude(long nextWindow) {
    for (long window : windows.tailSet(nextWindow)) {
      LOG.warn("window {} was to be skipped but not reached; ask again next time", window);
    }
  }
}
