package org.p3ostream.learner.runtime;

import org.p3ostream.schemas.avro.PhaseDurations;

/** Where the time of the current step goes; durations only, nothing that the weights depend on. */
final class StepTimer {
  private double waitMillis;
  private double prePassMillis;
  private double updateMillis;
  private double encodeMillis;
  private double commitMillis;
  private double checkpointMillis;

  static PhaseDurations none() {
    return new StepTimer().phases();
  }

  void waited(long startNanos) {
    waitMillis += millisSince(startNanos);
  }

  void trained(double prePass, double update) {
    prePassMillis = prePass;
    updateMillis = update;
  }

  void encoded(long startNanos) {
    encodeMillis = millisSince(startNanos);
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
    commitMillis = millis;
    checkpointMillis = 0;
  }

  void checkpointed(long startNanos) {
    checkpointMillis = millisSince(startNanos);
  }

  private static double millisSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e6;
  }
}
