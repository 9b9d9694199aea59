package org.p3ostream.learner.ledger;

import org.p3ostream.schemas.avro.StepMetrics;

/** The KL(π_θ ‖ π_b) of a step, of the two that an event may hold. */
public final class BehaviorKl {

  private BehaviorKl() {}

  /**
   * The one that the loss used, where it used one: the mean over valid tokens of the exact KL with
   * klMode exact, else of the sampled k3 estimate; nats.
   */
  public static double mean(StepMetrics metrics) {
    Double exact = metrics.getBehaviorKlExactMean();
    return exact == null ? metrics.getBehaviorKlProxyMean() : exact;
  }
}
