package org.p3ostream.rolloutproducer.generation;

import java.util.Optional;
import org.p3ostream.policy.sampling.SamplingParameters;
import org.p3ostream.rolloutproducer.reward.Rewards;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.SamplingRequest;

/** What a task may ask for. Says why a task cannot be served, by field, value and rule. */
public final class TaskRules {

  private TaskRules() {}

  /** Why this producer cannot serve {@code task}, whatever the weights; empty if it can. */
  public static Optional<String> violation(PromptTask task) {
    SamplingRequest sampling = task.getSampling();
    if (task.getSamplesPerGroup() < 1) {
      return broken("samplesPerGroup", task.getSamplesPerGroup(), "must be >= 1");
    }
    if (!(sampling.getTemperature() > 0 && Double.isFinite(sampling.getTemperature()))) {
      return broken("sampling.temperature", sampling.getTemperature(), "must be > 0 and finite");
    }
    if (sampling.getTopK() < 0) {
      return broken("sampling.topK", sampling.getTopK(), "must be >= 0");
    }
    if (!(sampling.getTopP() > 0 && sampling.getTopP() <= 1)) {
      return broken("sampling.topP", sampling.getTopP(), "must be in (0, 1]");
    }
    if (!(sampling.getMinP() >= 0 && sampling.getMinP() < 1)) {
      return broken("sampling.minP", sampling.getMinP(), "must be in [0, 1)");
    }
    if (sampling.getRepetitionPenalty() != 1) {
      return broken(
          "sampling.repetitionPenalty",
          sampling.getRepetitionPenalty(),
          "must be 1: a repetition penalty is not supported");
    }
    if (sampling.getMaxResponseTokens() < 1) {
      return broken("sampling.maxResponseTokens", sampling.getMaxResponseTokens(), "must be >= 1");
    }
    if (sampling.getStopStrings().contains("")) {
      return broken("sampling.stopStrings", sampling.getStopStrings(), "must hold no empty text");
    }
    return Rewards.named(task.getReward()).isPresent()
        ? Optional.empty()
        : broken("reward", task.getReward(), "is none of " + Rewards.names());
  }

  /**
   * Why a tokenized prompt cannot be sampled; empty if it can.
   *
   * @param promptTokens number of its tokens
   * @param maxPositions longest sequence of the model, tokens
   */
  public static Optional<String> violation(PromptTask task, int promptTokens, int maxPositions) {
    if (promptTokens == 0) {
      return Optional.of("prompt: has no token");
    }
    int maxResponseTokens = task.getSampling().getMaxResponseTokens();
    return (long) promptTokens + maxResponseTokens <= maxPositions
        ? Optional.empty()
        : Optional.of(
            "prompt: its %d tokens and %d response tokens exceed the model's %d positions"
                .formatted(promptTokens, maxResponseTokens, maxPositions));
  }

  /** The sampler's view of a task without {@link #violation}. */
  static SamplingParameters parameters(SamplingRequest request) {
    return new SamplingParameters(
        request.getTemperature(),
        request.getTopK(),
        request.getTopP(),
        request.getMinP(),
        request.getMaxResponseTokens());
  }

  private static Optional<String> broken(String field, Object value, String rule) {
    return Optional.of(field + ": " + value + " " + rule);
  }
}
