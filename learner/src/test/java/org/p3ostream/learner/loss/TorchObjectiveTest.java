package org.p3ostream.learner.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.forward.PolicyOutputs;
import org.p3ostream.learner.objective.DecoupledPpo;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.ExactKlCase;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.PaperOracle;
import org.p3ostream.learner.objective.RandomTokens;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.objective.TokenLosses;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.policy.torch.ScriptModule;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.ratio.RatioStatistics;

class TorchObjectiveTest {

  /**
   * Log-probs of the sampled tokens and the full-vocabulary KL, both over the kept tokens; what is
   * not kept is taken out before any difference of infinities.
   */
  private static final String DISTRIBUTIONS =
      """
      def of(self, logits: Tensor, behavior: Tensor, kept: Tensor, sampled: Tensor, temperature: Tensor) -> List[Tensor]:
        out = torch.eq(kept, 0)
        logp = torch.log_softmax(torch.masked_fill(torch.div(logits, temperature), out, float("-inf")), -1)
        p = torch.exp(logp)
        finite = torch.masked_fill(logp, out, 0.)
        kl = torch.sum(p * (finite - behavior), [-1])
        return [torch.squeeze(torch.gather(logp, 1, torch.unsqueeze(sampled, 1)), 1), kl]
      """;

  private static NDManager manager;

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    manager = TorchRuntime.newManager(Device.cpu());
  }

  @AfterAll
  static void stop() {
    manager.close();
  }

  static Stream<Objective> objectives() {
    return PaperOracle.objectives();
  }

  /** A micro-batch names the row of each token; the proximal policy is the policy itself. */
  @ParameterizedTest
  @MethodSource("objectives")
  void lossAndGradientOfAMicroBatchAgreeWithTheJavaObjective(Objective objective) {
    Regularization regularization = new Regularization(0.1, 0.2);
    try (TorchObjective torch = new TorchObjective(manager, objective, regularization)) {
      for (long seed = 0; seed < 20; seed++) {
        SplittableRandom random = new SplittableRandom(seed);
        TokenBatch complete = dense(RandomTokens.complete(random, 1 + random.nextInt(40), 1));
        TokenBatch tokens = complete.withProximalLogprobs(all(complete, complete::logprob));
        StepContext context =
            new StepContext(random.nextDouble(), tokens.length() + random.nextInt(100));
        TokenLosses expected =
            regularization.addTo(objective.evaluate(tokens, context), tokens, context);
        try (NDScope scope = new NDScope();
            Autograd recording = Autograd.record()) {
          scope.suppressNotUsedWarning();
          NDArray leaf = leaf(all(tokens, tokens::logprob)); // [N]
          PolicyOutputs outputs = outputs(leaf, tokens);
          NDArray losses = torch.tokenLosses(outputs, microBatch(tokens), context); // [N]
          NDArray loss = mean(losses, context); // []
          Autograd.backward(loss);
          requireClose(losses.toDoubleArray(), expected.tokenLoss(), "seed " + seed);
          requireClose(leaf.getGradient().toDoubleArray(), expected.gradient(), "seed " + seed);
          requireClose(
              new double[] {loss.getDouble()}, new double[] {expected.loss()}, "seed " + seed);
        }
      }
    }
  }

  /** KL and entropy come with graphs of their own: (1 − e) / N and −weight / N reach them. */
  @Test
  void gradientReachesTheDistributionsBehindKlAndEntropy() {
    TokenBatch tokens = dense(RandomTokens.complete(new SplittableRandom(2), 12, 1));
    StepContext context = new StepContext(0.25, 30);
    try (TorchObjective torch =
            new TorchObjective(
                manager, new P3o(EssScope.STEP, KlMode.EXACT), new Regularization(0, 0.6));
        NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      NDArray kl = leaf(all(tokens, tokens::exactKl)); // [N]
      NDArray entropy = leaf(all(tokens, tokens::entropy)); // [N]
      NDArray logprobs = leaf(all(tokens, tokens::logprob)); // [N]
      Autograd.backward(
          mean(
              torch.tokenLosses(
                  new PolicyOutputs(logprobs, kl, entropy, null), microBatch(tokens), context),
              context));
      assertThat(kl.getGradient().toDoubleArray()).containsOnly(0.75 / 30);
      assertThat(entropy.getGradient().toDoubleArray()).containsOnly(-0.6 / 30);
    }
  }

  static Stream<ExactKlCase> exactKlCases() {
    return ExactKlCase.all().stream();
  }

  /** From logits to the gradient in the logits, by automatic differentiation in float64. */
  @ParameterizedTest
  @MethodSource("exactKlCases")
  void exactKlFromLogitsAgrees(ExactKlCase golden) {
    TokenBatch tokens = golden.tokens().withSequences(new int[golden.length()]);
    RatioStatistics ratios = RatioStatistics.of(tokens.logRatios(), tokens.validMask());
    StepContext context = new StepContext(ratios.normalizedEss(), ratios.tokenCount());
    int length = golden.length();
    int vocabulary = golden.policyLogits(0).length;
    Shape shape = new Shape(length, vocabulary);
    try (TorchObjective torch =
            new TorchObjective(manager, new P3o(EssScope.STEP, KlMode.EXACT), Regularization.NONE);
        ScriptModule distributions = ScriptModule.compile(manager, DISTRIBUTIONS);
        NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      NDArray logits = // [N, V]
          manager.create(flat(length, golden::policyLogits), shape);
      logits.setRequiresGradient(true);
      NDList outputs =
          distributions.call(
              "of",
              logits,
              manager.create(flat(length, t -> behaviorLogprobs(golden, t)), shape), // [N, V]
              manager.create(flat(length, t -> asDoubles(golden.kept(t))), shape), // [N, V]
              manager.create(
                  IntStream.range(0, length).mapToLong(golden::sampled).toArray()), // [N]
              manager.create(golden.policyTemperature())); // []
      NDArray kl = outputs.get(1); // [N]
      requireClose(kl.toDoubleArray(), golden.expectedEach("exact_kl"), "KL");
      NDArray loss = // []
          mean(
              torch.tokenLosses(
                  new PolicyOutputs(outputs.get(0), kl, null, null), microBatch(tokens), context),
              context);
      Autograd.backward(loss);
      requireClose(new double[] {loss.getDouble()}, new double[] {golden.expected("loss")}, "loss");
      requireClose(
          logits.getGradient().toDoubleArray(),
          flat(length, golden::expectedLogitGradient),
          "gradient");
    }
  }

  @Test
  void tokenLossesNameWhatTheForwardPassLacks() {
    TokenBatch tokens = dense(RandomTokens.complete(new SplittableRandom(3), 4, 1));
    StepContext context = new StepContext(0.5, 4);
    MicroBatch batch = microBatch(tokens);
    try (TorchObjective exact =
            new TorchObjective(manager, new P3o(EssScope.STEP, KlMode.EXACT), Regularization.NONE);
        TorchObjective reference =
            new TorchObjective(manager, new Grpo(0.2, 0.2), new Regularization(0.1, 0));
        TorchObjective entropy =
            new TorchObjective(manager, new Grpo(0.2, 0.2), new Regularization(0, 0.1));
        NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      PolicyOutputs outputs =
          new PolicyOutputs(manager.create(all(tokens, tokens::logprob)), null, null, null);
      for (var missing :
          List.of(
              new Missing(exact, "exactKl"),
              new Missing(reference, "referenceLogprobs"),
              new Missing(entropy, "entropy"))) {
        assertThatThrownBy(() -> missing.objective.tokenLosses(outputs, batch, context))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining(missing.name);
      }
    }
  }

  private record Missing(TorchObjective objective, String name) {}

  /** With one update per window the clip is idle: any clip gives the same figures. */
  @Test
  void clipOfDecoupledPpoNeverActsInTraining() {
    TokenBatch tokens = dense(RandomTokens.complete(new SplittableRandom(4), 30, 3));
    StepContext context = new StepContext(0.5, 30);
    try (TorchObjective tight =
            new TorchObjective(manager, new DecoupledPpo(1e-6, 2), Regularization.NONE);
        TorchObjective wide =
            new TorchObjective(manager, new DecoupledPpo(1, 2), Regularization.NONE);
        NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      PolicyOutputs outputs =
          new PolicyOutputs(manager.create(all(tokens, tokens::logprob)), null, null, null);
      assertThat(tight.tokenLosses(outputs, microBatch(tokens), context).toDoubleArray())
          .isEqualTo(wide.tokenLosses(outputs, microBatch(tokens), context).toDoubleArray());
    }
  }

  private static NDArray mean(NDArray losses, StepContext context) {
    return losses.sum().div(manager.create((double) context.validTokens())); // []
  }

  private static PolicyOutputs outputs(NDArray logprobs, TokenBatch tokens) {
    return new PolicyOutputs(
        logprobs,
        manager.create(all(tokens, tokens::exactKl)), // [N]
        manager.create(all(tokens, tokens::entropy)), // [N]
        manager.create(all(tokens, tokens::referenceLogprob))); // [N]
  }

  private static NDArray leaf(double[] values) {
    NDArray leaf = manager.create(values); // [N]
    leaf.setRequiresGradient(true);
    return leaf;
  }

  private static MicroBatch microBatch(TokenBatch tokens) {
    int count = tokens.length();
    return new MicroBatch(
        1,
        count,
        List.of(),
        List.of(),
        new long[count],
        new long[count],
        new long[count],
        IntStream.range(0, count).map(tokens::sequence).toArray(),
        all(tokens, tokens::behaviorLogprob),
        all(tokens, tokens::advantage),
        new long[count]);
  }

  /** The valid tokens alone, with everything there is about them. */
  private static TokenBatch dense(TokenBatch tokens) {
    int[] kept = IntStream.range(0, tokens.length()).filter(tokens::isValid).toArray();
    boolean[] valid = new boolean[kept.length];
    Arrays.fill(valid, true);
    return new TokenBatch(
            at(kept, tokens::logprob),
            at(kept, tokens::behaviorLogprob),
            at(kept, tokens::advantage),
            valid)
        .withSequences(Arrays.stream(kept).map(tokens::sequence).toArray())
        .withExactKl(at(kept, tokens::exactKl))
        .withEntropies(at(kept, tokens::entropy))
        .withReferenceLogprobs(at(kept, tokens::referenceLogprob));
  }

  /** log q over the kept tokens, 0 elsewhere, [V]. */
  private static double[] behaviorLogprobs(ExactKlCase golden, int t) {
    double[] logits = golden.behaviorLogits(t);
    boolean[] kept = golden.kept(t);
    double sum = 0;
    for (int v = 0; v < logits.length; v++) {
      sum += kept[v] ? Math.exp(logits[v] / golden.behaviorTemperature()) : 0;
    }
    double logSum = Math.log(sum);
    return IntStream.range(0, logits.length)
        .mapToDouble(v -> kept[v] ? logits[v] / golden.behaviorTemperature() - logSum : 0)
        .toArray();
  }

  private static double[] asDoubles(boolean[] flags) {
    return IntStream.range(0, flags.length).mapToDouble(i -> flags[i] ? 1 : 0).toArray();
  }

  private static double[] flat(int length, IntFunction<double[]> rows) {
    return IntStream.range(0, length).mapToObj(rows).flatMapToDouble(Arrays::stream).toArray();
  }

  private static double[] all(TokenBatch tokens, IntToDoubleFunction valueOfToken) {
    return at(IntStream.range(0, tokens.length()).toArray(), valueOfToken);
  }

  private static double[] at(int[] positions, IntToDoubleFunction valueOfToken) {
    return Arrays.stream(positions).mapToDouble(valueOfToken).toArray();
  }

  private static void requireClose(double[] found, double[] expected, String description) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i])
          .as("%s, entry %d", description, i)
          .isCloseTo(expected[i], within(1e-10 * Math.max(1, Math.abs(expected[i]))));
    }
  }
}
