package org.p3ostream.rolloutproducer.config;

import java.util.List;
import org.p3ostream.policy.precision.WeightPrecision;

/** Configurations of producers, but for one thing as they are by default. */
public final class ProducerConfigs {

  private ProducerConfigs() {}

  /** Rounds weights before they sample. */
  public static ProducerConfig rounding(WeightPrecision precision) {
    return with(precision, List.of());
  }

  /** Samples by variants of the run. */
  public static ProducerConfig mixed(VariantConfig... mixture) {
    return with(WeightPrecision.FLOAT32, List.of(mixture));
  }

  private static ProducerConfig with(WeightPrecision precision, List<VariantConfig> mixture) {
    ProducerConfig defaults = ProducerConfig.defaults();
    return new ProducerConfig(
        defaults.id(),
        defaults.transactionalId(),
        defaults.maxPollPrompts(),
        precision,
        mixture,
        defaults.versionsKept(),
        defaults.maxStarts(),
        defaults.generationTimeoutSeconds(),
        defaults.statusEverySeconds(),
        defaults.unavailableDeadlineSeconds());
  }
}
