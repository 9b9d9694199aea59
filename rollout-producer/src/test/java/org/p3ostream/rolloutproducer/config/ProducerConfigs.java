package org.p3ostream.rolloutproducer.config;

import java.util.List;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.RecordedLogprob;

/** Configurations of producers, but for one thing as they are by default. */
public final class ProducerConfigs {

  private ProducerConfigs() {}

  /** Rounds weights before they sample. */
  public static ProducerConfig rounding(WeightPrecision precision) {
    return with(precision, RecordedLogprob.SAMPLING, List.of(), false);
  }

  /** Samples by variants of the run. */
  public static ProducerConfig mixed(VariantConfig... mixture) {
    return with(WeightPrecision.FLOAT32, RecordedLogprob.SAMPLING, List.of(mixture), false);
  }

  /** Goes on with newer weights. */
  public static ProducerConfig updating(WeightPrecision precision) {
    return with(precision, RecordedLogprob.SAMPLING, List.of(), true);
  }

  /** Records the model's own log-probs. */
  public static ProducerConfig raw() {
    return with(WeightPrecision.FLOAT32, RecordedLogprob.RAW, List.of(), false);
  }

  private static ProducerConfig with(
      WeightPrecision precision,
      RecordedLogprob behaviorLogprob,
      List<VariantConfig> mixture,
      boolean inFlightUpdates) {
    ProducerConfig defaults = ProducerConfig.defaults();
    return new ProducerConfig(
        defaults.id(),
        defaults.transactionalId(),
        defaults.maxPollPrompts(),
        precision,
        behaviorLogprob,
        mixture,
        inFlightUpdates,
        defaults.versionsKept(),
        defaults.maxStarts(),
        defaults.generationTimeoutSeconds(),
        defaults.statusEverySeconds(),
        defaults.unavailableDeadlineSeconds());
  }
}
