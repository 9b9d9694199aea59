package org.p3ostream.deploy.config;

import java.util.List;
import java.util.Locale;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.RatioConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.rolloutproducer.config.ProducerConfig;
import org.p3ostream.rolloutproducer.config.VariantConfig;

/** What producers do that the learner of the same run would not take. */
final class ProducerGates {

  private ProducerGates() {}

  /**
   * @throws IllegalArgumentException naming paths, values and reason of the first combination that
   *     must not be
   */
  static void require(
      ProducerConfig producer,
      SamplingConfig sampling,
      DispatchConfig dispatch,
      RatioConfig ratio) {
    String recorded = lower(producer.behaviorLogprob());
    String taken = lower(ratio.behaviorLogprob());
    require(
        recorded.equals(taken),
        "producer.behaviorLogprob: %s cannot stand beside ratio.behaviorLogprob: %s: the learner rejects log-probs of another kind than it takes"
            .formatted(recorded, taken));
    require(
        !producer.inFlightUpdates() || !dispatch.lockstep(),
        "producer.inFlightUpdates: true cannot stand beside dispatch.lockstep: true: in lockstep a"
            + " prompt names the version that samples every token");
    List<VariantConfig> mixture = producer.mixture();
    require(
        mixture.isEmpty() || producer.mixedResponses() == sampling.samplesPerGroup(),
        "producer.mixture: its responses, %d in all, must be sampling.samplesPerGroup (%d): each response"
                .formatted(producer.mixedResponses(), sampling.samplesPerGroup())
            + " of a group is sampled by one of the variants");
    for (int i = 0; i < mixture.size(); i++) {
      VariantConfig variant = mixture.get(i);
      require(
          variant.reach() <= dispatch.versionsBack(),
          "producer.mixture[%d]: versionsBack %d plus syncInterval %d - 1 must be <= dispatch.versionsBack (%d):"
                  .formatted(
                      i, variant.versionsBack(), variant.syncInterval(), dispatch.versionsBack())
              + " the learner rejects what is older than asked for by more than that");
    }
  }

  private static String lower(Enum<?> word) {
    return word.name().toLowerCase(Locale.ROOT);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }
}
