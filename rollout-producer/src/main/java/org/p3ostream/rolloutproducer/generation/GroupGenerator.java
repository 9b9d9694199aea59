package org.p3ostream.rolloutproducer.generation;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.rolloutproducer.reward.Reward;
import org.p3ostream.rolloutproducer.reward.Rewards;
import org.p3ostream.rolloutproducer.snapshot.PolicyWeights;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Samples and scores the group of one task. Gives every task a group, if need be a failed one. */
public final class GroupGenerator implements GroupSource {
  private static final Logger log = LoggerFactory.getLogger(GroupGenerator.class);
  private static final int[] NO_TOKENS = {};

  private final GroupAssembler assembler;
  private final int maxPositions;
  private final Tokenizer tokenizer;
  private final PolicySampler sampler;
  private final Clock clock;

  /**
   * Creates a generator that owns tokenizer and sampler.
   *
   * @param maxPositions longest sequence of the model, tokens
   */
  public GroupGenerator(
      GroupAssembler assembler,
      int maxPositions,
      Tokenizer tokenizer,
      PolicySampler sampler,
      Clock clock) {
    this.assembler = assembler;
    this.maxPositions = maxPositions;
    this.tokenizer = tokenizer;
    this.sampler = sampler;
    this.clock = clock;
  }

  @Override
  public RolloutGroup generate(PromptTask task, PolicyWeights weights) {
    int[] promptTokens = NO_TOKENS;
    try {
      promptTokens = tokenizer.encode(task.getPrompt()); // [P]
      Optional<String> violation = TaskRules.violation(task);
      if (violation.isEmpty()) {
        violation = TaskRules.violation(task, promptTokens.length, maxPositions);
      }
      return violation.isPresent()
          ? assembler.failed(task, promptTokens, violation.get(), clock.instant())
          : sample(task, promptTokens, weights);
    } catch (IllegalArgumentException e) { // the task's own fault
      return assembler.failed(task, promptTokens, String.valueOf(e.getMessage()), clock.instant());
    } catch (RuntimeException e) {
      log.error("Could not sample group {} attempt {}", task.getGroupId(), task.getAttempt(), e);
      return assembler.failed(task, promptTokens, e.toString(), clock.instant());
    }
  }

  private RolloutGroup sample(PromptTask task, int[] promptTokens, PolicyWeights weights) {
    Reward reward = Rewards.named(task.getReward()).orElseThrow();
    long startNanos = System.nanoTime();
    List<SampledResponse> responses =
        sampler.sample(
            weights,
            promptTokens,
            task.getSamplesPerGroup(),
            TaskRules.parameters(task.getSampling()),
            task.getSeed()); // [G]
    double generationMillis = (System.nanoTime() - startNanos) / 1e6;
    List<ScoredResponse> scored = new ArrayList<>();
    for (SampledResponse response : responses) {
      String text = tokenizer.decode(response.tokens());
      scored.add(new ScoredResponse(response, reward.score(text, task.getReferenceAnswer())));
    }
    return assembler.sampled(
        task, promptTokens, scored, weights.version(), clock.instant(), generationMillis);
  }

  @Override
  public void close() {
    sampler.close();
    tokenizer.close();
  }
}
