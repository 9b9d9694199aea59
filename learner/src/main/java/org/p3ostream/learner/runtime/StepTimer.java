package org.p3ostream.learner.runtime;

import org.p3ostream.learner.runtime.LearnerObserver.Phase;
import org.p3ostream.schemas.avro.PhaseDurations;

/** Where the time of the current step goes; durations only, nothing that the weights depend on. */
final class StepTimer {
  private final LearnerObserver observer;
  private double waitMillis;
  private double prePassMillis;
  private double updateMillis;
  private double encodeMillis;
  private double commitMillis;
  private double checkpointMillis;

  StepTimer() {
    this(LearnerObserver.NONE);
  }

  /**
   * @param observer told of every phase as it ends
   */
  StepTimer(LearnerObserver observer) {
    this.observer = observer;
  }

  static PhaseDurations none() {
    return new StepTimer().phases();
  }

  void waited(long startNanos) {
    waitMillis += spent(Phase.WAIT, millisSince(startNanos));
  }

  void trained(double prePass, double update) {
    prePassMillis = spent(Phase.PRE_PASS, prePass);
    updateMillis = spent(Phase.UPDATE, update);
  }

  void encoded(long startNanos) {
    encodeMillis = spent(Phase.ENCODE, millisSince(startNanos));
  }

  /** Phases of the step that is about to be committed; its commit belongs to the next one. */
  PhaseDurations phases() {
    return PhaseDurations.newBuilder()
        .setWaitMillis(waitMillis)
        .setPrePassMillis(prePassMillis)
        .setUpdateMillis(updateMillis)
        .setEncodeMillis(encodeMillis)
        .setPreviousCommitMillis(commitMillis)
        .setPreviousCheckpointMillis(checkpointMillis)
        .build();
  }

  void committed(double millis) {
    waitMillis = 0;
    prePassMillis = 0;
    updateMillis = 0;
    encodeMillis = 0;
    commitMillis = spent(Phase.COMMIT, millis);
    checkpointMillis = 0;
  }

  void checkpointed(long startNanos) {
    checkpointMillis = spent(Phase.CHECKPOINT, millisSince(startNanos));
  }

  private double spent(Phase phase, double millis) {
    observer.spent(phase, millis);
    return millis;
  }

  private static double millisSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e6;
  }
}
