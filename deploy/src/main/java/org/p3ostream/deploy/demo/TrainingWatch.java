package org.p3ostream.deploy.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
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
  private final Supplier<ChildProcess> latecomer;
  private final ProgressLine progress;
  private final long steps;
  private final RunHistory history;

  /**
   * @param ledger the `steps` topic
   * @param learner may end once it is done
   * @param others must not end
   * @param latecomer started after the first step; must not end either
   * @param history filled with what is seen
   */
  TrainingWatch(
      LogFollower ledger,
      ChildProcess learner,
      List<ChildProcess> others,
      Supplier<ChildProcess> latecomer,
      ProgressLine progress,
      long steps,
      RunHistory history) {
    this.ledger = ledger;
    this.learner = learner;
    this.others = new ArrayList<>(others);
    this.latecomer = latecomer;
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
    boolean early = true;
    try {
      while (!run.hasPassed(steps) || learner.isAlive()) {
        others.forEach(ChildProcess::requireAlive);
        boolean learnerRan = learner.isAlive();
        read();
        if (!run.hasPassed(steps) && !learnerRan) {
          learner.requireAlive();
        }
        progress.show(run);
        if (early && run.stepsPassed() > 0) {
          others.add(latecomer.get());
          early = false;
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
