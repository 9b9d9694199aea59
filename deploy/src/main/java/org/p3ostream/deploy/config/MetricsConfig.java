package org.p3ostream.deploy.config;

import org.jspecify.annotations.Nullable;

/**
 * Whether learner and producers serve meters of themselves, for Prometheus, on the loopback
 * interface. The streams serve theirs at {@code streams.port} in any case.
 *
 * @param learnerPort port of the learner; 0 takes a free one, null serves and measures nothing
 * @param producerPort the same of a producer; several on one machine need 0, or each its own
 * @param targetsDirectory where every process, the streams included, writes its address for the
 *     file-based service discovery of Prometheus; null for nowhere
 */
public record MetricsConfig(
    @Nullable Integer learnerPort,
    @Nullable Integer producerPort,
    @Nullable String targetsDirectory) {
  public MetricsConfig {
    requirePort("metrics.learnerPort", learnerPort);
    requirePort("metrics.producerPort", producerPort);
    if (targetsDirectory != null && targetsDirectory.isBlank()) {
      throw new IllegalArgumentException("metrics.targetsDirectory: must not be blank");
    }
  }

  public static MetricsConfig defaults() {
    return new MetricsConfig(null, null, null);
  }

  private static void requirePort(String key, @Nullable Integer port) {
    if (port != null && (port < 0 || port > 65_535)) {
      throw new IllegalArgumentException(key + ": " + port + " must be in [0, 65535]");
    }
  }
}
