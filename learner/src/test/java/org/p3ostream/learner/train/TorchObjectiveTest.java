package org.p3ostream.learner.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.objective.GoldenCase;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.RandomTokens;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.objective.TokenLosses;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.policy.torch.TorchRuntime;

class TorchObjectiveTest {

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
    return Stream.of(new P3o(), new Grpo(0.2, 0.2), new Grpo(0.1, 0.28));
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void lossAndGradientAgreeWithTheJavaObjectiveOnRandomTokens(Objective objective) {
    try (TorchObjective torch = new TorchObjective(manager, objective)) {
      for (long seed = 0; seed < 60; seed++) {
        SplittableRandom random = new SplittableRandom(seed);
        TokenBatch tokens =
            RandomTokens.valid(random, 1 + random.nextInt(40), seed % 3 == 0 ? 20 : 1);
        StepContext context =
            new StepContext(random.nextDouble(), tokens.length() + random.nextInt(100));
        requireAgreement(torch, objective, tokens, context, "seed " + seed);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void lossAndGradientAgreeWithTheJavaObjectiveOnGoldenSteps(Objective objective) {
    try (TorchObjective torch = new TorchObjective(manager, objective)) {
      for (GoldenCase golden : GoldenCase.all()) {
        if (objective instanceof P3o || golden.covers(new Grpo(0.2, 0.2))) {
          requireAgreement(
              torch, objective, dense(golden.step()), golden.context(), golden.toString());
        }
      }
    }
  }

  private static void requireAgreement(
      TorchObjective torch,
      Objective objective,
      TokenBatch tokens,
      StepContext context,
      String description) {
    TokenLosses expected = objective.evaluate(tokens, context);
    Result float64 = evaluate(torch, tokens, context, false);
    assertThat(float64.loss)
        .as(description)
        .isCloseTo(expected.loss(), within(1e-10 * Math.max(1, Math.abs(expected.loss()))));
    requireClose(float64.gradient, expected.gradient(), 1e-10, description);

    TokenBatch rounded = asFloat32(tokens);
    TokenLosses ofRounded = objective.evaluate(rounded, context);
    Result float32 = evaluate(torch, tokens, context, true);
    assertThat(float32.loss)
        .as(description)
        .isCloseTo(ofRounded.loss(), within(1e-5 * Math.max(1, Math.abs(ofRounded.loss()))));
    requireClose(float32.gradient, ofRounded.gradient(), 1e-5, description);
  }

  private static void requireClose(
      double[] found, double[] expected, double tolerance, String description) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      assertThat(found[i])
          .as("%s, token %d", description, i)
          .isCloseTo(expected[i], within(tolerance * Math.max(1, Math.abs(expected[i]))));
    }
  }

  private static final class Result {
    final double loss;
    final double[] gradient;

    Result(double loss, double[] gradient) {
      this.loss = loss;
      this.gradient = gradient;
    }
  }

  private static Result evaluate(
      TorchObjective torch, TokenBatch tokens, StepContext context, boolean float32) {
    try (NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      double[] logprobs = all(tokens, tokens::logprob);
      NDArray leaf = float32 ? manager.create(floats(logprobs)) : manager.create(logprobs); // [N]
      leaf.setRequiresGradient(true);
      NDArray loss = torch.loss(PolicyOutputs.of(leaf), microBatch(tokens), context); // []
      Autograd.backward(loss);
      NDArray gradient = leaf.getGradient(); // [N]
      return new Result(
          loss.getDouble(),
          float32
              ? IntStream.range(0, tokens.length()).mapToDouble(i -> gradient.getFloat(i)).toArray()
              : gradient.toDoubleArray());
    }
  }

  private static MicroBatch microBatch(TokenBatch tokens) {
    int count = tokens.length();
    double[] behavior = all(tokens, t -> tokens.logprob(t) - tokens.logRatio(t));
    return new MicroBatch(
        1,
        count,
        List.of(),
        List.of(),
        new long[count],
        new long[count],
        new long[count],
        new int[count],
        behavior,
        all(tokens, tokens::advantage),
        new long[count]);
  }

  /** The valid tokens alone. */
  private static TokenBatch dense(TokenBatch tokens) {
    int[] kept = IntStream.range(0, tokens.length()).filter(tokens::isValid).toArray();
    return new TokenBatch(
        Arrays.stream(kept).mapToDouble(tokens::logprob).toArray(),
        Arrays.stream(kept).mapToDouble(t -> tokens.logprob(t) - tokens.logRatio(t)).toArray(),
        Arrays.stream(kept).mapToDouble(tokens::advantage).toArray(),
        allTrue(kept.length));
  }

  /** log π_θ as float32 holds it. */
  private static TokenBatch asFloat32(TokenBatch tokens) {
    return new TokenBatch(
        all(tokens, t -> (float) tokens.logprob(t)),
        all(tokens, t -> tokens.logprob(t) - tokens.logRatio(t)),
        all(tokens, tokens::advantage),
        allTrue(tokens.length()));
  }

  private static double[] all(
      TokenBatch tokens, java.util.function.IntToDoubleFunction valueOfToken) {
    return IntStream.range(0, tokens.length()).mapToDouble(valueOfToken).toArray();
  }

  private static boolean[] allTrue(int count) {
    boolean[] all = new boolean[count];
    Arrays.fill(all, true);
    return all;
  }

  private static float[] floats(double[] values) {
    float[] floats = new float[values.length];
    for (int i = 0; i < values.length; i++) {
      floats[i] = (float) values[i];
    }
    return floats;
  }
}
