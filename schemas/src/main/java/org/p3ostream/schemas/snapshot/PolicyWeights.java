package org.p3ostream.schemas.snapshot;

/** Verified weights of one policy version. Nobody writes into them once they are here. */
public final class PolicyWeights {
  private final long version;
  private final float[] weights;

  public PolicyWeights(long version, float[] weights) {
    this.version = version;
    this.weights = weights;
  }

  public long version() {
    return version;
  }

  /** Flat weights in layout order, [P]; read-only by agreement. */
  public float[] weights() {
    return weights;
  }
}
