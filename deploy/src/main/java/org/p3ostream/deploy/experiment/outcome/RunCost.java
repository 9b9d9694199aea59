package org.p3ostream.deploy.experiment.outcome;

/**
 * What a run took. Differs from one execution to the next, and with what else the machine does.
 *
 * @param trainSeconds from GENESIS to the last step
 * @param wallSeconds of the whole run, evaluation and audit included; the warm start is not in it
 * @param trainedTokens tokens in a loss
 * @param generatedTokens response tokens in the log
 * @param peakMemoryBytes most resident memory of the process while the run went on: learner,
 *     producer and evaluation of all the runs that went on beside it; broker and registry are
 *     processes of their own and not in it
 */
public record RunCost(
    double trainSeconds,
    double wallSeconds,
    long trainedTokens,
    long generatedTokens,
    long peakMemoryBytes) {

  /** Tokens in a loss per second of training. */
  public double trainedTokensPerSecond() {
    return trainedTokens / Math.max(trainSeconds, 1e-3);
  }

  /** Response tokens in the log per second of training. */
  public double generatedTokensPerSecond() {
    return generatedTokens / Math.max(trainSeconds, 1e-3);
  }
}
