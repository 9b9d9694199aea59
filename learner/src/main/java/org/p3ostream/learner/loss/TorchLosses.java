package org.p3ostream.learner.loss;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.p3ostream.learner.forward.PolicyOutputs;
import org.p3ostream.learner.objective.Gspo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.objective.TokenLosses;
import org.p3ostream.policy.torch.Autograd;

/**
 * An objective on plain tokens by the tensor engine: the script that trains, its gradient by
 * automatic differentiation. Confined to one thread, which {@code TorchRuntime.prepareThread} has
 * prepared.
 */
public final class TorchLosses implements AutoCloseable {
  private final NDManager manager;
  private final Objective objective;
  private final Regularization regularization;
  private final TorchObjective torch;

  public TorchLosses(NDManager manager, Objective objective) {
    this(manager, objective, Regularization.NONE);
  }

  /**
   * @param manager says on which device
   */
  public TorchLosses(NDManager manager, Objective objective, Regularization regularization) {
    this.manager = manager;
    this.objective = objective;
    this.regularization = regularization;
    this.torch = new TorchObjective(manager, objective, regularization);
  }

  /**
   * Loss and gradient of some tokens of a step. Masked tokens do not enter the engine. As in {@link
   * Objective#evaluate}, with log π_θ in {@code dtype} and everything else in float64; the count of
   * limited tokens is that of the Java form on the same log-probs.
   *
   * @param dtype of log π_θ, float32 or float64
   */
  public TokenLosses evaluate(TokenBatch tokens, StepContext context, DataType dtype) {
    if (dtype != DataType.FLOAT32 && dtype != DataType.FLOAT64) {
      throw new IllegalArgumentException("dtype: " + dtype + " is not float32 or float64");
    }
    int[] valid = IntStream.range(0, tokens.length()).filter(tokens::isValid).toArray(); // [N]
    if (valid.length == 0) {
      int length = tokens.length();
      return new TokenLosses(new double[length], new double[length], 0, 0, 0, 0);
    }
    try (NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      return evaluate(tokens, valid, context, dtype);
    }
  }

  private TokenLosses evaluate(TokenBatch given, int[] valid, StepContext context, DataType dtype) {
    TokenBatch tokens = dtype == DataType.FLOAT32 ? rounded(given) : given;
    long limited = objective.evaluate(tokens, context).limitedTokens();
    NDArray logprobs = create(valid, tokens::logprob).toType(dtype, false); // [N]
    logprobs.setRequiresGradient(true);
    PolicyOutputs outputs =
        new PolicyOutputs(
            logprobs,
            takesExactKl() ? create(valid, tokens::exactKl) : null, // [N]
            regularization.usesEntropy() ? create(valid, tokens::entropy) : null, // [N]
            regularization.usesReference() ? create(valid, tokens::referenceLogprob) : null);
    NDArray advantages = create(valid, tokens::advantage); // [N]
    NDArray losses = objectiveLosses(outputs, tokens, valid, advantages, context); // [N]
    NDArray kl = // [N]; P3O without a reward
        objective instanceof P3o
            ? objectiveLosses(outputs, tokens, valid, advantages.zerosLike(), context)
            : losses.zerosLike();
    NDArray terms = torch.regularizationTerms(outputs); // [N]
    NDArray all = terms == null ? losses : losses.add(terms); // [N]
    NDArray count = manager.create((double) context.validTokens()); // []
    Autograd.backward(all.sum().div(count));
    double klLoss = kl.sum().div(count).getDouble();
    return new TokenLosses(
        scatter(all, valid, tokens.length()),
        scatter(logprobs.getGradient(), valid, tokens.length()),
        losses.sum().div(count).getDouble() - klLoss,
        klLoss,
        terms == null ? 0 : terms.sum().div(count).getDouble(),
        limited);
  }

  private NDArray objectiveLosses(
      PolicyOutputs outputs,
      TokenBatch tokens,
      int[] valid,
      NDArray advantages,
      StepContext context) {
    return torch.objectiveLosses(
        outputs,
        create(valid, tokens::behaviorLogprob), // [N]
        advantages,
        objective instanceof Gspo ? sequences(tokens, valid) : new int[valid.length],
        create(valid, tokens::proximalLogprob), // [N]
        context);
  }

  private boolean takesExactKl() {
    return objective instanceof P3o p3o && p3o.klMode() == KlMode.EXACT;
  }

  /** Responses numbered from 0 in the order of their first tokens, [N]. */
  private static int[] sequences(TokenBatch tokens, int[] valid) {
    Map<Integer, Integer> numbers = new HashMap<>();
    return Arrays.stream(valid)
        .map(t -> numbers.computeIfAbsent(tokens.sequence(t), any -> numbers.size()))
        .toArray();
  }

  private static TokenBatch rounded(TokenBatch tokens) {
    return tokens.withLogprobs(
        IntStream.range(0, tokens.length()).mapToDouble(t -> (float) tokens.logprob(t)).toArray());
  }

  /** [N], float64. */
  private NDArray create(int[] valid, IntToDoubleFunction valueOfToken) {
    return manager.create(Arrays.stream(valid).mapToDouble(valueOfToken).toArray());
  }

  /** [N] to [T], 0 where not valid. */
  private static double[] scatter(NDArray values, int[] valid, int length) {
    double[] dense = values.toType(DataType.FLOAT64, false).toDoubleArray(); // [N]
    double[] scattered = new double[length]; // [T]
    for (int n = 0; n < valid.length; n++) {
      scattered[valid[n]] = dense[n];
    }
    return scattered;
  }

  @Override
  public void close() {
    torch.close();
  }
}
