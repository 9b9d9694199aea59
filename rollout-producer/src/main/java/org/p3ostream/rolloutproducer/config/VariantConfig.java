package org.p3ostream.rolloutproducer.config;

import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.precision.WeightPrecision;

/**
 * A variant of this run that samples some responses of every group. {@link ProducerConfig} holds
 * the rules, since it knows which one it is.
 *
 * <pre>  version = max(0, b − b mod k),  b = asked − versionsBack,  k = syncInterval  </pre>
 *
 * @param responses how many, ≥ 1
 * @param versionsBack versions before the one asked for, ≥ 0
 * @param syncInterval weights change with every k-th version only, ≥ 1
 * @param temperature divides the logits, > 0; null for that of the prompt
 * @param precision what weights are rounded to; null for {@code producer.rolloutPrecision}
 */
public record VariantConfig(
    int responses,
    int versionsBack,
    int syncInterval,
    @Nullable Double temperature,
    @Nullable WeightPrecision precision) {

  /** What an entry of {@code producer.mixture} need not say; its responses it must. */
  public static VariantConfig defaults() {
    return new VariantConfig(0, 0, 1, null, null);
  }

  /** The version that samples where {@code asked} is asked for. */
  public long version(long asked) {
    long before = Math.max(0, asked - versionsBack);
    return before - before % syncInterval;
  }

  /** Versions before the one asked for, at most. */
  public long reach() {
    return versionsBack + syncInterval - 1L;
  }
}
