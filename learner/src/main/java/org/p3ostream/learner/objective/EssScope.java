package org.p3ostream.learner.objective;

/** Over which tokens P3O's effective sample size is taken. */
public enum EssScope {
  /**
   * One value over the whole optimizer step, all replicas: the same however the step is cut into
   * micro-batches.
   */
  STEP("step"),
  /**
   * One value per micro-batch, pooled over replicas, as in the reference code of arXiv:2605.12380:
   * depends on how the step is cut.
   */
  MICRO_BATCH("micro-batch");

  private final String id;

  EssScope(String id) {
    this.id = id;
  }

  /** Name in configurations and step events. */
  public String id() {
    return id;
  }
}
