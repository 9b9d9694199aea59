package org.p3ostream.rolloutproducer.config;

import java.util.List;
import org.p3ostream.policy.precision.WeightPrecision;

/** Configurations of producers, but for one thing as they are by default. */
public final class ProducerConfigs {

  private ProducerConfigs() {}

  /** Rounds weights before they sample. */
  public static ProducerConfig rounding(WeightPrecision precision) {
    return with(precision, List.of(), false);
  }

  /** Samples by variants of the run. */
  public static ProducerConfig mixed(VariantConfig... mixture) {
    return with(WeightPrecision.FLOAT32, List.of(mixture), false);
  }

  /** Goes on with newer weights. */
  public static ProducerConfig updating(WeightPrecision precision) {
    return with(precision, List.of(), true);
  }

  private static ProducerConfig with(
      WeightPrecision precision, List<VariantConfig> mixture, boolean inFlightUpdates) {
    ProducerConfig defaults = ProducerConfig.defaults();
    return new ProducerConfig(
        defaults.id(),
        defaults.transactionalId(),
        defaults.maxPollPrompts(),
        precision,
        mixture,
        inFlightUpdates,
        defaults.versionsKept(),
        defaults.maxStarts(),
        defaults.generationTimeoutSeconds(),
        defaults.statusEverySeconds(),
        defaults.unavailableDeadlineSeconds());
  }
}
