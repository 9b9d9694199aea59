package org.p3ostream.learner.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.objective.Dapo;
import org.p3ostream.learner.objective.DecoupledPpo;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.GoldenCase;
import org.p3ostream.learner.objective.Grpo;
import org.p3ostream.learner.objective.Gspo;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.PaperOracle;
import org.p3ostream.learner.objective.PpoClip;
import org.p3ostream.learner.objective.RandomTokens;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.objective.TokenLosses;
import org.p3ostream.policy.torch.TorchRuntime;

class TorchLossesTest {

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

  static Stream<Objective> goldenObjectives() {
    return GoldenCase.all().get(0).objectives().stream();
  }

  @ParameterizedTest
  @MethodSource("goldenObjectives")
  void evaluateInFloat64AgreesWithEveryGoldenStep(Objective objective) {
    requireGolden(objective, DataType.FLOAT64, 1e-10);
  }

  /** The log-probs are rounded on the way in; the figures move by less than the tolerance. */
  @ParameterizedTest
  @MethodSource("goldenObjectives")
  void evaluateInFloat32AgreesWithEveryGoldenStep(Objective objective) {
    requireGolden(objective, DataType.FLOAT32, 1e-5);
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateAgreesWithTheJavaObjectiveOnRandomTokens(Objective objective) {
    for (Regularization regularization :
        List.of(Regularization.NONE, new Regularization(0.1, 0.02))) {
      try (TorchLosses torch = new TorchLosses(manager, objective, regularization)) {
        for (long seed = 0; seed < 40; seed++) {
          SplittableRandom random = new SplittableRandom(seed);
          TokenBatch tokens =
              RandomTokens.complete(random, 1 + random.nextInt(40), seed % 3 == 0 ? 20 : 1);
          StepContext context =
              new StepContext(random.nextDouble(), tokens.length() + random.nextInt(100));
          requireAgreement(torch, objective, regularization, tokens, context, "seed " + seed);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateTakesEachTermOfTheRegularizationAlone(Objective objective) {
    TokenBatch tokens = RandomTokens.complete(new SplittableRandom(4), 20, 1);
    StepContext context = new StepContext(0.5, 20);
    for (Regularization regularization :
        List.of(new Regularization(0.5, 0), new Regularization(0, 0.5))) {
      try (TorchLosses torch = new TorchLosses(manager, objective, regularization)) {
        requireAgreement(torch, objective, regularization, tokens, context, "alone");
      }
    }
  }

  /** ±500 nats, and every ratio far below what float64 holds. */
  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateAgreesWithTheJavaObjectiveAtTheExtremes(Objective objective) {
    double[] far = {-501, -1, -1, -12};
    double[] near = {-1, -501, -1, -1};
    double[] advantages = {1, -1, 0.5, 1};
    try (TorchLosses torch = new TorchLosses(manager, objective)) {
      for (double sign : new double[] {1, -1}) {
        requireAgreement(
            torch,
            objective,
            Regularization.NONE,
            all(far, near, Arrays.stream(advantages).map(a -> sign * a).toArray()),
            new StepContext(0.25, 4),
            "500 nats");
      }
      requireAgreement(
          torch,
          objective,
          Regularization.NONE,
          all(new double[] {-901, -902}, new double[] {-1, -1}, new double[] {1, -1}),
          new StepContext(0, 2),
          "underflow");
    }
  }

  @Test
  void gradientOfAFarReferenceHasTheRightSign() {
    double[] logprobs = {-501, -1};
    TokenBatch tokens =
        all(logprobs, logprobs, new double[2]).withReferenceLogprobs(new double[] {-1, -501});
    Regularization regularization = new Regularization(1, 0);
    Objective objective = new P3o();
    StepContext context = new StepContext(1, 2);
    try (TorchLosses torch = new TorchLosses(manager, objective, regularization)) {
      requireAgreement(torch, objective, regularization, tokens, context, "far reference");
      double[] gradient = torch.evaluate(tokens, context, DataType.FLOAT64).gradient();
      assertThat(gradient[0]).isNegative();
      assertThat(gradient[1]).isPositive();
    }
  }

  @Test
  void ppoStaysFiniteForANegativeAdvantageWhateverTheRatio() {
    TokenBatch tokens = all(new double[] {-1}, new double[] {-1001}, new double[] {-2});
    Objective objective = new PpoClip(0.2, 3);
    try (TorchLosses torch = new TorchLosses(manager, objective)) {
      requireAgreement(
          torch, objective, Regularization.NONE, tokens, new StepContext(1, 1), "1000 nats");
    }
  }

  /** Ratios beyond what float64 holds: the clip, or an advantage of 0, leaves nothing of them. */
  @ParameterizedTest
  @MethodSource("clipped")
  void whatTheUpperClipTakesAwayMayBeInfinite(Objective objective) {
    TokenBatch tokens =
        all(new double[] {-1, -1}, new double[] {-901, -1001}, new double[] {2, 0})
            .withSequences(new int[] {0, 1})
            .withProximalLogprobs(new double[] {-901, -1001});
    StepContext context = new StepContext(0.5, 2);
    TokenLosses java = objective.evaluate(tokens, context);
    assertThat(java.loss()).isNegative().isGreaterThan(-2);
    assertThat(java.gradient()).containsOnly(0);
    try (TorchLosses torch = new TorchLosses(manager, objective)) {
      requireAgreement(torch, objective, Regularization.NONE, tokens, context, "infinite");
    }
  }

  static Stream<Objective> clipped() {
    return Stream.of(
        new Grpo(0.2, 0.2),
        new PpoClip(0.2, 3),
        new Dapo(0.2, 0.28),
        new Gspo(3e-4, 4e-4),
        new DecoupledPpo(0.2, 2));
  }

  @ParameterizedTest
  @MethodSource("objectives")
  void evaluateOfADummyMicroBatchIsNothing(Objective objective) {
    try (TorchLosses torch = new TorchLosses(manager, objective)) {
      for (int length : new int[] {0, 3}) {
        double[] nan = new double[length];
        Arrays.fill(nan, Double.NaN);
        TokenLosses losses =
            torch.evaluate(
                new TokenBatch(nan, nan, nan, new boolean[length]),
                new StepContext(0, 7),
                DataType.FLOAT32);
        assertThat(losses.loss()).isZero();
        assertThat(losses.limitedTokens()).isZero();
        assertThat(losses.gradient()).isEqualTo(new double[length]);
        assertThat(losses.tokenLoss()).isEqualTo(new double[length]);
      }
    }
  }

  @Test
  void evaluateNamesWhatTheTokensLack() {
    TokenBatch tokens = RandomTokens.valid(new SplittableRandom(1), 3, 1);
    StepContext context = new StepContext(1, 3);
    try (TorchLosses gspo = new TorchLosses(manager, new Gspo(0.1, 0.1));
        TorchLosses exact = new TorchLosses(manager, new P3o(EssScope.STEP, KlMode.EXACT));
        TorchLosses p3o = new TorchLosses(manager, new P3o())) {
      assertThatThrownBy(() -> gspo.evaluate(tokens, context, DataType.FLOAT64))
          .hasMessageContaining("withSequences");
      assertThatThrownBy(() -> exact.evaluate(tokens, context, DataType.FLOAT64))
          .hasMessageContaining("withExactKl");
      assertThatThrownBy(() -> p3o.evaluate(tokens, context, DataType.FLOAT16))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("float16");
    }
  }

  /** Whether the safe slope is taken is all that separates the two modes. */
  @ParameterizedTest
  @EnumSource(names = {"PROXY", "PROXY_SAFE"})
  void gradientBelowTheClampPointsBackToTheBehaviourOnlyWhenSafe(KlMode mode) {
    TokenBatch tokens = all(new double[] {-41}, new double[] {-1}, new double[] {0});
    try (TorchLosses torch = new TorchLosses(manager, new P3o(EssScope.STEP, mode))) {
      TokenLosses losses = torch.evaluate(tokens, new StepContext(0, 1), DataType.FLOAT64);
      assertThat(losses.klLoss()).isCloseTo(-41 + Math.exp(10), within(1e-10));
      assertThat(losses.policyLoss()).isZero();
      assertThat(losses.gradient()[0])
          .isCloseTo(mode == KlMode.PROXY ? 1 : 1 - Math.exp(10), within(1e-10));
    }
  }

  private static void requireGolden(Objective objective, DataType dtype, double tolerance) {
    int covered = 0;
    try (TorchLosses torch = new TorchLosses(manager, objective)) {
      for (GoldenCase golden : GoldenCase.all()) {
        if (golden.objectives().contains(objective)) {
          List<TokenBatch> batches = golden.microBatches();
          List<StepContext> contexts = golden.contexts(objective);
          List<TokenLosses> losses = new ArrayList<>();
          for (int i = 0; i < batches.size(); i++) {
            losses.add(torch.evaluate(batches.get(i), contexts.get(i), dtype));
          }
          String name = golden.toString();
          requireClose(
              concatenated(losses.stream().map(TokenLosses::tokenLoss)),
              golden.expectedEach(objective, "token_loss"),
              tolerance,
              name);
          requireClose(
              concatenated(losses.stream().map(TokenLosses::gradient)),
              golden.expectedEach(objective, "grad"),
              tolerance,
              name);
          requireClose(
              new double[] {losses.stream().mapToDouble(TokenLosses::loss).sum()},
              new double[] {golden.expected(objective, "loss")},
              tolerance,
              name);
          covered++;
        }
      }
    }
    assertThat(covered).isEqualTo(objective instanceof P3o ? 12 : 9);
  }

  /**
   * In float32 with the Java form on the log-probs as float32 holds them, and with its gradient as
   * float32 holds that: that of an unbounded surrogate at 500 nats is infinite there.
   */
  private static void requireAgreement(
      TorchLosses torch,
      Objective objective,
      Regularization regularization,
      TokenBatch tokens,
      StepContext context,
      String description) {
    requireSame(
        torch.evaluate(tokens, context, DataType.FLOAT64),
        regularization.addTo(objective.evaluate(tokens, context), tokens, context),
        1e-10,
        description);
    TokenBatch rounded =
        tokens.withLogprobs(
            IntStream.range(0, tokens.length())
                .mapToDouble(t -> (float) tokens.logprob(t))
                .toArray());
    TokenLosses expected =
        regularization.addTo(objective.evaluate(rounded, context), rounded, context);
    Arrays.setAll(expected.gradient(), t -> (float) expected.gradient()[t]);
    requireSame(torch.evaluate(tokens, context, DataType.FLOAT32), expected, 1e-5, description);
  }

  private static void requireSame(
      TokenLosses found, TokenLosses expected, double tolerance, String description) {
    requireClose(found.tokenLoss(), expected.tokenLoss(), tolerance, description);
    requireClose(found.gradient(), expected.gradient(), tolerance, description);
    requireClose(
        new double[] {found.loss(), found.policyLoss(), found.klLoss(), found.regularizationLoss()},
        new double[] {
          expected.loss(), expected.policyLoss(), expected.klLoss(), expected.regularizationLoss()
        },
        tolerance,
        description);
    assertThat(found.limitedTokens()).isEqualTo(expected.limitedTokens());
  }

  private static void requireClose(
      double[] found, double[] expected, double tolerance, String description) {
    assertThat(found).hasSameSizeAs(expected);
    for (int i = 0; i < found.length; i++) {
      if (Double.isInfinite(expected[i])) {
        assertThat(found[i]).as("%s, entry %d", description, i).isEqualTo(expected[i]);
        continue;
      }
      assertThat(found[i])
          .as("%s, entry %d", description, i)
          .isCloseTo(expected[i], within(tolerance * Math.max(1, Math.abs(expected[i]))));
    }
  }

  /** Every token a response of its own, without KL. */
  private static TokenBatch all(double[] logprobs, double[] behavior, double[] advantages) {
    boolean[] valid = new boolean[logprobs.length];
    Arrays.fill(valid, true);
    return new TokenBatch(logprobs, behavior, advantages, valid)
        .withSequences(IntStream.range(0, logprobs.length).toArray())
        .withExactKl(new double[logprobs.length]);
  }

  private static double[] concatenated(Stream<double[]> arrays) {
    return arrays.flatMapToDouble(DoubleStream::of).toArray();
  }
}
