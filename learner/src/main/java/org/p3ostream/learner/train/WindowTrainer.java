package org.p3ostream.learner.train;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDScope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.schemas.ratio.RatioStatistics;

/**
 * One optimizer step on one window.
 *
 * <ol>
 *   <li>Pre-pass: log-probs of every micro-batch, before anything is back-propagated. Graphs are
 *       kept while they fit the budget; the other micro-batches are run forward again later.
 *   <li>The ESS of the whole window, in float64, freezes the {@link StepContext}.
 *   <li>Loss and backward pass per micro-batch, in order; gradients add up in one flat vector.
 *   <li>One AdamW update, unless anything is not finite.
 * </ol>
 */
public final class WindowTrainer implements AutoCloseable {

  private final AdamW optimizer;
  private final LearningRateSchedule schedule;
  private final Objective objective;
  private final TorchObjective torchObjective;
  private final MicroBatcher microBatcher;
  private final PolicyForward forward;
  private final int retainedGraphTokens;

  /**
   * @param optimizer owns the parameters; stays the caller's to close
   * @param policyTemperature temperature of π_θ in the ratio
   * @param microBatchTokens token budget of a micro-batch, padding included
   * @param retainedGraphTokens tokens whose graphs the pre-pass may keep, padding included
   */
  public WindowTrainer(
      CausalLm model,
      AdamW optimizer,
      LearningRateSchedule schedule,
      Objective objective,
      double policyTemperature,
      int microBatchTokens,
      int retainedGraphTokens) {
    this.optimizer = optimizer;
    this.schedule = schedule;
    this.objective = objective;
    this.torchObjective = new TorchObjective(model.manager(), objective);
    this.microBatcher = new MicroBatcher(microBatchTokens, model.config().padTokenId());
    this.forward = new PolicyForward(model, optimizer.parameters(), policyTemperature);
    this.retainedGraphTokens = retainedGraphTokens;
  }

  /**
   * Trains on a window. The result is a function of the weights, the moments and the set of groups,
   * but for the durations and the age.
   *
   * @param policyVersion version of the weights before the update, which is also the number of
   *     updates
   * @param nowMs time for the groups' age, milliseconds since the epoch
   * @throws NonFiniteUpdateException if statistics, loss or gradient are not finite; the weights
   *     have not moved
   */
  public TrainedWindow train(Window window, long policyVersion, long nowMs) {
    long start = System.nanoTime();
    if (window.validTokens() == 0) {
      return new TrainedWindow(null, List.of(), millisSince(start), 0);
    }
    List<MicroBatch> batches = microBatcher.cut(window);
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      WindowTokens tokens = new WindowTokens(Math.toIntExact(window.validTokens()));
      List<@Nullable PolicyOutputs> retained = prePass(batches, tokens);
      RatioStatistics ratios = tokens.ratioStatistics();
      if (!ratios.isFinite()) {
        throw nonFinite(window, "ratio statistics " + ratios);
      }
      StepContext context = new StepContext(ratios.normalizedEss(), ratios.tokenCount());
      double prePassMillis = millisSince(start);

      long updateStart = System.nanoTime();
      backward(window, batches, retained, context);
      double gradNorm = optimizer.gradientNorm();
      if (!Double.isFinite(gradNorm)) {
        optimizer.clearGradient();
        throw nonFinite(window, "gradient norm " + gradNorm);
      }
      double learningRate = schedule.at(policyVersion);
      optimizer.update(learningRate, gradNorm);
      return new TrainedWindow(
          WindowMetrics.of(
              window,
              tokens,
              ratios,
              objective,
              context,
              policyVersion,
              gradNorm,
              learningRate,
              batches.size(),
              nowMs),
          tokens.ratioStatisticsByVersion(),
          prePassMillis,
          millisSince(updateStart));
    }
  }

  /** Fills {@code tokens}; returns per micro-batch the outputs with their graph, or null. */
  private List<@Nullable PolicyOutputs> prePass(List<MicroBatch> batches, WindowTokens tokens) {
    List<@Nullable PolicyOutputs> retained = new ArrayList<>();
    int budget = retainedGraphTokens;
    for (MicroBatch batch : batches) {
      budget -= batch.paddedTokens();
      if (batch.validTokens() == 0) {
        retained.add(null);
      } else if (budget >= 0) {
        PolicyOutputs outputs = forward.withGraph(batch);
        tokens.append(batch, outputs.logprobs().toFloatArray());
        retained.add(outputs);
      } else {
        try (NDScope scope = new NDScope()) {
          scope.suppressNotUsedWarning();
          tokens.append(batch, forward.of(batch).logprobs().toFloatArray());
        }
        retained.add(null);
      }
    }
    return retained;
  }

  private void backward(
      Window window,
      List<MicroBatch> batches,
      List<@Nullable PolicyOutputs> retained,
      StepContext context) {
    for (int i = 0; i < batches.size(); i++) {
      MicroBatch batch = batches.get(i);
      if (batch.validTokens() == 0) {
        continue;
      }
      try (NDScope scope = new NDScope()) {
        scope.suppressNotUsedWarning();
        PolicyOutputs kept = retained.get(i);
        PolicyOutputs outputs = kept == null ? forward.withGraph(batch) : kept;
        try (Autograd recording = Autograd.record()) {
          NDArray loss = torchObjective.loss(outputs, batch, context); // []
          if (!Double.isFinite(loss.getDouble())) {
            optimizer.clearGradient();
            throw nonFinite(window, "loss " + loss.getDouble() + " of micro-batch " + i);
          }
          Autograd.backward(loss);
        }
        if (kept != null) {
          kept.close();
        }
      }
    }
  }

  private static NonFiniteUpdateException nonFinite(Window window, String what) {
    return new NonFiniteUpdateException(
        "window "
            + window.index()
            + ": "
            + what
            + " is not finite; nothing was published. Groups: "
            + window.groups().stream()
                .map(group -> group.groupId() + " at " + group.coordinate())
                .toList());
  }

  private static double millisSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e6;
  }

  @Override
  public void close() {
    torchObjective.close();
  }
}
