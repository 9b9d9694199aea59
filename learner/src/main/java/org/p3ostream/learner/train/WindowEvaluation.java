package org.p3ostream.learner.train;

/** What a window is worth at given weights. The array belongs to the holder of this object. */
public final class WindowEvaluation {
  private final double ess;
  private final double behaviorKl;
  private final double loss;
  private final double[] gradient; // [P]
  private final int forwardAgain;

  WindowEvaluation(
      double ess, double behaviorKl, double loss, double[] gradient, int forwardAgain) {
    this.ess = ess;
    this.behaviorKl = behaviorKl;
    this.loss = loss;
    this.gradient = gradient;
    this.forwardAgain = forwardAgain;
  }

  /** Normalised effective sample size of the whole window, in [0, 1]. */
  public double ess() {
    return ess;
  }

  /** Mean of the sampled estimate of KL(π_θ ‖ π_b) over the window, nats. */
  public double behaviorKl() {
    return behaviorKl;
  }

  /** The loss that was back-propagated. */
  public double loss() {
    return loss;
  }

  /** d loss / d parameters, before clipping, [P]. */
  public double[] gradient() {
    return gradient;
  }

  /** Micro-batches run forward a second time, because their graphs did not fit. */
  public int forwardAgain() {
    return forwardAgain;
  }
}
