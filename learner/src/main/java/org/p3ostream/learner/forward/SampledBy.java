package org.p3ostream.learner.forward;

import java.util.Comparator;
import java.util.Objects;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.policy.precision.WeightPrecision;

/**
 * Which weights sampled a token.
 *
 * @param version policy version
 * @param precision what its weights were rounded to
 */
record SampledBy(long version, WeightPrecision precision) implements Comparable<SampledBy> {

  private static final Comparator<SampledBy> BY_VERSION =
      Comparator.comparingLong(SampledBy::version).thenComparing(SampledBy::precision);

  /** Those of token n. */
  static SampledBy token(MicroBatch batch, int n) {
    return new SampledBy(
        batch.policyVersions[n],
        Objects.requireNonNull(
            batch.sampling(n).weightPrecision(),
            "weights of unknown precision have no distribution, SamplingRules let them pass"));
  }

  @Override
  public int compareTo(SampledBy other) {
    return BY_VERSION.compare(this, other);
  }
}
