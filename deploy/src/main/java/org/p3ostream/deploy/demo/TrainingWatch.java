package org.p3ostream.deploy.demo;

import java.time.Duration;
import java.util.List;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.progress.ProgressLine;
import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.deploy.stack.ChildProcess;

/** Follows the ledger until the run is done and the learner has ended by itself. */
final class TrainingWatch {

  private static final Duration POLL = Duration.ofMillis(100);

  private final LogFollower ledger;
  private final ChildProcess learner;
  private final List<ChildProcess> others;
  private final KeptStreams streams;
  private final ProgressLine progress;
  private final long steps;
  private final RunHistory history;

  /**
   * @param ledger the `steps` topic
   * @param learner may end once it is done
   * @param others must not end
   * @param streams started after the first step
   * @param history filled with what is seen
   */
  TrainingWatch(
      LogFollower ledger,
      ChildProcess learner,
      List<ChildProcess> others,
      KeptStreams streams,
      ProgressLine progress,
      long steps,
      RunHistory history) {
    this.ledger = ledger;
    this.learner = learner;
    this.others = List.copyOf(others);
    this.streams = streams;
    this.progress = progress;
    this.steps = steps;
    this.history = history;
  }

  /**
   * Returns when the last step is in the ledger and the learner has ended.
   *
   * @throws org.p3ostream.deploy.stack.ChildDiedException if a child ends before it should
   */
  void await() {
    RunStatistics run = history.statistics();
    try {
      while (!run.hasPassed(steps) || learner.isAlive()) {
        others.forEach(ChildProcess::requireAlive);
        boolean learnerRan = learner.isAlive();
        read();
        if (!run.hasPassed(steps) && !learnerRan) {
          learner.requireAlive();
        }
        progress.show(run);
        if (run.stepsPassed() > 0) {
          streams.start();
          streams.keepUp();
        }
      }
    } finally {
      progress.end();
    }
    if (learner.exitCode() != 0) {
      learner.requireAlive();
    }
  }

  private void read() {
    history.add(ledger.poll(POLL));
  }
}
