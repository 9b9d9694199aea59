package org.p3ostream.rolloutproducer.generation;

import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.policy.sampling.StopStrings;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.rolloutproducer.reward.Reward;
import org.p3ostream.rolloutproducer.reward.Rewards;
import org.p3ostream.rolloutproducer.reward.Score;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.snapshot.PolicyWeights;
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
  private final Mixture mixture;
  private final boolean inFlightUpdates;
  private final GenerationLimit limit;
  private final Clock clock;
  private volatile @Nullable PolicyWeights newest;
  private volatile boolean abandoned;

  /**
   * Creates a generator that owns tokenizer and sampler.
   *
   * @param maxPositions longest sequence of the model, tokens
   * @param mixture which variants of the run sample a group
   * @param inFlightUpdates whether a group goes on with newer weights when they arrive, unless its
   *     task names a version
   * @param limit after which unfinished responses are aborted
   */
  public GroupGenerator(
      GroupAssembler assembler,
      int maxPositions,
      Tokenizer tokenizer,
      PolicySampler sampler,
      Mixture mixture,
      boolean inFlightUpdates,
      GenerationLimit limit,
      Clock clock) {
    this.assembler = assembler;
    this.maxPositions = maxPositions;
    this.tokenizer = tokenizer;
    this.sampler = sampler;
    this.mixture = mixture;
    this.inFlightUpdates = inFlightUpdates;
    this.limit = limit;
    this.clock = clock;
  }

  @Override
  public RolloutGroup generate(PromptTask task, List<PolicyWeights> weights) {
    int[] promptTokens = NO_TOKENS;
    try {
      promptTokens = tokenizer.encode(task.getPrompt()); // [P]
      Optional<String> violation = TaskRules.violation(task);
      if (violation.isEmpty()) {
        violation = TaskRules.violation(task, promptTokens.length, maxPositions);
      }
      if (violation.isEmpty()) {
        violation = mixture.violation(task);
      }
      return violation.isPresent()
          ? assembler.failed(task, promptTokens, violation.get(), clock.instant())
          : sample(task, promptTokens, weights);
    } catch (CancellationException e) {
      throw e;
    } catch (IllegalArgumentException e) { // the task's own fault
      return assembler.failed(task, promptTokens, String.valueOf(e.getMessage()), clock.instant());
    } catch (RuntimeException e) {
      log.error("Could not sample group {} attempt {}", task.getGroupId(), task.getAttempt(), e);
      return assembler.failed(task, promptTokens, e.toString(), clock.instant());
    }
  }

  private RolloutGroup sample(PromptTask task, int[] promptTokens, List<PolicyWeights> weights) {
    Reward reward = Rewards.named(task.getReward()).orElseThrow();
    StopStrings stops = new StopStrings(task.getSampling().getStopStrings(), tokenizer::decode);
    GenerationLimit.Stopwatch watch = limit.start();
    List<Variant> variants = mixture.variants(task);
    List<PolicySampler.Batch> sampled = new ArrayList<>(); // by variant
    for (int i = 0; i < variants.size(); i++) {
      PolicyWeights first = weights.get(i);
      boolean exchanges = inFlightUpdates && task.getExactPolicyVersion() == null;
      sampled.add(
          sampler.sample(
              exchanges ? () -> newerOf(first) : () -> first,
              variants.get(i),
              promptTokens,
              stops,
              () -> abandoned || watch.isOver()));
      if (abandoned) {
        throw new CancellationException("group " + task.getGroupId() + " was abandoned");
      }
    }
    double generationMillis = watch.elapsedMillis();
    noteAborted(
        task,
        sampled.stream().flatMap(batch -> batch.responses().stream()).toList(),
        generationMillis);
    List<SampledVariant> scored = new ArrayList<>();
    for (int i = 0; i < variants.size(); i++) {
      scored.add(
          new SampledVariant(
              variants.get(i),
              sampled.get(i).policyVersions(),
              sampled.get(i).responses().stream()
                  .map(response -> scored(response, reward, stops, task))
                  .toList()));
    }
    return assembler.sampled(task, promptTokens, scored, clock.instant(), generationMillis);
  }

  /** The newest weights that arrived, if they are newer. */
  private PolicyWeights newerOf(PolicyWeights first) {
    PolicyWeights arrived = newest;
    return arrived != null && arrived.version() > first.version() ? arrived : first;
  }

  private ScoredResponse scored(
      SampledResponse response, Reward reward, StopStrings stops, PromptTask task) {
    return new ScoredResponse(
        response,
        response.finish() == SampledResponse.Finish.ABORTED
            ? Score.NONE
            : reward.score(
                stops.before(tokenizer.decode(response.tokens())), task.getReferenceAnswer()));
  }

  private static void noteAborted(
      PromptTask task, List<SampledResponse> responses, double generationMillis) {
    long aborted =
        responses.stream().filter(r -> r.finish() == SampledResponse.Finish.ABORTED).count();
    if (aborted > 0) {
      log.warn(
          "Group {} attempt {}: {} of {} responses aborted after {} ms",
          task.getGroupId(),
          task.getAttempt(),
          aborted,
          responses.size(),
          Math.round(generationMillis));
    }
  }

  @Override
  public void arrived(PolicyWeights weights) {
    newest = weights;
  }

  @Override
  public void abandon() {
    abandoned = true;
  }

  @Override
  public void close() {
    sampler.close();
    tokenizer.close();
  }
}
