package org.p3ostream.rolloutproducer.generation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.SamplingParameters;
import org.p3ostream.rolloutproducer.config.ProducerConfig;
import org.p3ostream.rolloutproducer.config.VariantConfig;
import org.p3ostream.schemas.avro.PromptTask;

/**
 * Which variants of this run sample a group: one that is as the prompt asks, unless a mixture is
 * configured. A function of configuration and task. Pure, any thread.
 */
public final class Mixture {

  private final List<VariantConfig> mixture; // empty: none
  private final WeightPrecision precision;

  private Mixture(List<VariantConfig> mixture, WeightPrecision precision) {
    this.mixture = mixture;
    this.precision = precision;
  }

  public static Mixture of(ProducerConfig config) {
    return new Mixture(config.mixture(), config.rolloutPrecision());
  }

  /** Number of variants. */
  public int size() {
    return Math.max(1, mixture.size());
  }

  /** The version of each variant, in order, for a task that is sampled by {@code version}. */
  public List<Long> versions(long version) {
    return mixture.isEmpty()
        ? List.of(version)
        : mixture.stream().map(variant -> variant.version(version)).toList();
  }

  /** Why a task cannot be shared by the variants; empty if it can. */
  Optional<String> violation(PromptTask task) {
    int responses = mixture.stream().mapToInt(VariantConfig::responses).sum();
    return mixture.isEmpty() || responses == task.getSamplesPerGroup()
        ? Optional.empty()
        : Optional.of(
            "samplesPerGroup: %d is not the number of responses in producer.mixture, %d"
                .formatted(task.getSamplesPerGroup(), responses));
  }

  /**
   * The variants of a task without {@link #violation}, in order. The first has the seed of the
   * task, the others have seeds that follow from it.
   */
  List<Variant> variants(PromptTask task) {
    SamplingParameters asked = TaskRules.parameters(task.getSampling());
    if (mixture.isEmpty()) {
      return List.of(new Variant(task.getSamplesPerGroup(), asked, precision, task.getSeed()));
    }
    SplittableRandom seeds = new SplittableRandom(task.getSeed());
    List<Variant> variants = new ArrayList<>();
    for (VariantConfig variant : mixture) {
      Double temperature = variant.temperature();
      variants.add(
          new Variant(
              variant.responses(),
              temperature == null ? asked : asked.withTemperature(temperature),
              Objects.requireNonNullElse(variant.precision(), precision),
              variants.isEmpty() ? task.getSeed() : seeds.nextLong()));
    }
    return variants;
  }
}
