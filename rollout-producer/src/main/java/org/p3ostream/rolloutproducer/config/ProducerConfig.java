package org.p3ostream.rolloutproducer.config;

import java.util.List;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.policy.sampling.RecordedLogprob;

/**
 * How a producer runs. Which tokens are sampled for a prompt depends on {@code rolloutPrecision}
 * and {@code mixture}, on when newer weights come with {@code inFlightUpdates}, and on where {@code
 * generationTimeoutSeconds} cuts it short; on nothing else here.
 *
 * @param id names this producer in its groups; unique among the producers of a run
 * @param transactionalId id that fences an older process of this producer; empty derives it from
 *     topic prefix and {@code id}
 * @param maxPollPrompts prompts taken in hand at a time, and so the largest number of groups in one
 *     transaction
 * @param rolloutPrecision what weight matrices are rounded to before they sample: a mismatch
 *     between rollouts and training, measured. Recorded with every response, whose log-probs are of
 *     the rounded weights
 * @param behaviorLogprob which log-probs are recorded: {@code sampling} those of the distribution
 *     that a token was drawn from, {@code raw} those of the model at temperature 1 without filters.
 *     Recorded with every response; a learner takes one kind, {@code ratio.behaviorLogprob}
 * @param mixture variants of this run that share the responses of every group, in this order; empty
 *     for one and the same way of sampling. What each is, is recorded with every response
 * @param inFlightUpdates whether a response goes on with newer weights as soon as they are there,
 *     between two of its tokens. Which token is of which version depends on time and is recorded;
 *     nothing changes for a prompt that names its version
 * @param versionsKept newest policy versions kept in memory, and as many more as a variant goes
 *     back; more where prompts ask for older ones, up to a quarter of the heap
 * @param maxStarts a prompt that was started this often and never finished is given up
 * @param generationTimeoutSeconds how long a group may be sampled before its unfinished responses
 *     are aborted, which takes them out of training; 0 for no limit. Which responses are cut
 *     depends on time, so that a run in which it happens is no longer a function of configuration
 *     and seed
 * @param statusEverySeconds time between status lines
 * @param unavailableDeadlineSeconds how long broker or registry may fail before the producer ends
 */
public record ProducerConfig(
    String id,
    String transactionalId,
    int maxPollPrompts,
    WeightPrecision rolloutPrecision,
    RecordedLogprob behaviorLogprob,
    List<VariantConfig> mixture,
    boolean inFlightUpdates,
    int versionsKept,
    int maxStarts,
    int generationTimeoutSeconds,
    int statusEverySeconds,
    int unavailableDeadlineSeconds) {
  public ProducerConfig {
    if (!id.matches("[A-Za-z0-9._-]{1,100}")) {
      throw new IllegalArgumentException(
          "producer.id: '" + id + "' must be 1 to 100 letters, digits, '.', '_' or '-'");
    }
    if (!transactionalId.isEmpty() && transactionalId.isBlank()) {
      throw new IllegalArgumentException(
          "producer.transactionalId: '" + transactionalId + "' must not be blank");
    }
    requirePositive("maxPollPrompts", maxPollPrompts);
    mixture = List.copyOf(mixture);
    for (int i = 0; i < mixture.size(); i++) {
      requireVariant("mixture[" + i + "].", mixture.get(i));
    }
    if (inFlightUpdates && !mixture.isEmpty()) {
      throw new IllegalArgumentException(
          "producer.inFlightUpdates: true cannot stand beside producer.mixture: a variant samples by"
              + " the version it goes back to, from the first token to the last");
    }
    requirePositive("versionsKept", versionsKept);
    requirePositive("maxStarts", maxStarts);
    if (generationTimeoutSeconds < 0) {
      throw new IllegalArgumentException(
          "producer.generationTimeoutSeconds: "
              + generationTimeoutSeconds
              + " must be >= 0 (0 = no limit)");
    }
    requirePositive("statusEverySeconds", statusEverySeconds);
    requirePositive("unavailableDeadlineSeconds", unavailableDeadlineSeconds);
  }

  public static ProducerConfig defaults() {
    return new ProducerConfig(
        "1",
        "",
        16,
        WeightPrecision.FLOAT32,
        RecordedLogprob.SAMPLING,
        List.of(),
        false,
        4,
        3,
        0,
        10,
        120);
  }

  /** Responses of a group; 0 without a mixture. */
  public int mixedResponses() {
    return mixture.stream().mapToInt(VariantConfig::responses).sum();
  }

  /** Versions before the one asked for that a variant samples by, at most. */
  public long reach() {
    return mixture.stream().mapToLong(VariantConfig::reach).max().orElse(0);
  }

  private static void requireVariant(String path, VariantConfig variant) {
    requirePositive(path + "responses", variant.responses());
    if (variant.versionsBack() < 0) {
      throw new IllegalArgumentException(
          "producer." + path + "versionsBack: " + variant.versionsBack() + " must be >= 0");
    }
    requirePositive(path + "syncInterval", variant.syncInterval());
    Double temperature = variant.temperature();
    if (temperature != null && !(temperature > 0 && Double.isFinite(temperature))) {
      throw new IllegalArgumentException(
          "producer." + path + "temperature: " + temperature + " must be finite and > 0");
    }
  }

  private static void requirePositive(String key, int value) {
    if (value < 1) {
      throw new IllegalArgumentException("producer." + key + ": " + value + " must be >= 1");
    }
  }
}
