package org.p3ostream.learner.optimizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.policy.torch.ScriptModule;
import org.p3ostream.policy.torch.TorchRuntime;

class AdamWTest {

  private static final ModelConfig TINY =
      new ModelConfig(5, 4, 6, 1, 2, 1, 2, 1e-6, 1e4, true, 8, 0, 1);
  private static final OptimizerConfig CONFIG =
      new OptimizerConfig(1e-2, 0.9, 0.95, 1e-8, 0.1, 1.0, 0, 1, 100);

  private static CausalLm model;
  private static ScriptModule products;

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    model = new CausalLm(TINY, Device.cpu(), DataType.FLOAT32);
    products =
        ScriptModule.compile(
            model.manager(),
            """
            def product(self, p: Tensor, c: Tensor) -> Tensor:
              return torch.sum(p * torch.clone(c))
            """);
  }

  @AfterAll
  static void stop() {
    products.close();
    model.close();
  }

  @Test
  void updateAgreesWithTheFormulaOverTwentySteps() {
    float[] weights = ParameterInitializer.initialize(TINY, 3);
    Oracle oracle = new Oracle(weights);
    SplittableRandom random = new SplittableRandom(11);
    int clipped = 0;
    try (AdamW optimizer = new AdamW(model, CONFIG, weights)) {
      for (int step = 0; step < 20; step++) {
        float[] gradient = gradient(random, step % 2 == 0 ? 0.02 : 2);
        backward(optimizer, gradient);
        double norm = optimizer.gradientNorm();
        assertThat(norm).isCloseTo(Oracle.norm(gradient), within(1e-9 * norm));
        clipped += norm > CONFIG.clipNorm() ? 1 : 0;
        double learningRate = 1e-2 / (step + 1);
        optimizer.update(learningRate, norm);
        oracle.update(gradient, learningRate);
        requireClose(optimizer.weights(), oracle.weights, 1e-6, step);
        requireClose(optimizer.state().firstMoment(), oracle.first, 1e-6, step);
        requireClose(optimizer.state().secondMoment(), oracle.second, 1e-6, step);
      }
      assertThat(optimizer.updates()).isEqualTo(20);
    }
    assertThat(clipped).isEqualTo(10);
  }

  @Test
  void gradientsAddUpUntilTheUpdateAndAreGoneAfterIt() {
    float[] gradient = gradient(new SplittableRandom(1), 0.01);
    try (AdamW optimizer = new AdamW(model, CONFIG, new float[model.layout().size()])) {
      backward(optimizer, gradient);
      double once = optimizer.gradientNorm();
      backward(optimizer, gradient);
      assertThat(optimizer.gradientNorm()).isCloseTo(2 * once, within(1e-6));
      optimizer.update(1e-3, 2 * once);
      assertThat(optimizer.gradientNorm()).isZero();
    }
  }

  @Test
  void restoredStateContinuesBitForBit() {
    float[] weights = ParameterInitializer.initialize(TINY, 4);
    try (AdamW optimizer = new AdamW(model, CONFIG, weights)) {
      run(optimizer, 0, 7);
      OptimizerState saved = optimizer.state();
      run(optimizer, 7, 12);
      try (AdamW restored = new AdamW(model, CONFIG, saved)) {
        assertThat(restored.updates()).isEqualTo(7);
        run(restored, 7, 12);
        assertThat(restored.weights()).isEqualTo(optimizer.weights());
        assertThat(restored.state().firstMoment()).isEqualTo(optimizer.state().firstMoment());
        assertThat(restored.state().secondMoment()).isEqualTo(optimizer.state().secondMoment());
      }
    }
  }

  @Test
  void stateIsACopyThatLaterUpdatesDoNotChange() {
    try (AdamW optimizer = new AdamW(model, CONFIG, ParameterInitializer.initialize(TINY, 4))) {
      OptimizerState saved = optimizer.state();
      float[] weights = saved.weights().clone();
      run(optimizer, 0, 1);
      assertThat(saved.weights()).isEqualTo(weights);
      assertThat(optimizer.weights()).isNotEqualTo(weights);
    }
  }

  @Test
  void clearGradientDropsEvenWhatIsNotANumber() {
    float[] gradient = gradient(new SplittableRandom(1), 1);
    gradient[3] = Float.NaN;
    gradient[4] = Float.POSITIVE_INFINITY;
    try (AdamW optimizer = new AdamW(model, CONFIG, ParameterInitializer.initialize(TINY, 4))) {
      backward(optimizer, gradient);
      assertThat(optimizer.gradientNorm()).isNaN();
      optimizer.clearGradient();
      assertThat(optimizer.gradientNorm()).isZero();
      run(optimizer, 0, 1);
      assertThat(optimizer.weights()).doesNotContain(Float.NaN);
    }
  }

  @Test
  void clearGradientIsHarmlessBeforeAnyBackwardPass() {
    try (AdamW optimizer = new AdamW(model, CONFIG, ParameterInitializer.initialize(TINY, 4))) {
      optimizer.clearGradient();
      assertThat(optimizer.gradientNorm()).isZero();
    }
  }

  @Test
  void stateOfDifferentLengthsIsRefusedWithTheLengths() {
    assertThatThrownBy(() -> new OptimizerState(new float[3], new float[3], new float[2], 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("weights 3, first moment 3, second moment 2");
    assertThatThrownBy(() -> new OptimizerState(new float[3], new float[4], new float[3], 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** The formula of {@link AdamW}'s documentation in float64. */
  private static final class Oracle {
    final double[] weights;
    final double[] first;
    final double[] second;
    private int updates;

    Oracle(float[] start) {
      weights = new double[start.length];
      first = new double[start.length];
      second = new double[start.length];
      for (int i = 0; i < start.length; i++) {
        weights[i] = start[i];
      }
    }

    void update(float[] gradient, double learningRate) {
      updates++;
      double scale = Math.min(1, CONFIG.clipNorm() / (norm(gradient) + 1e-6));
      for (int i = 0; i < weights.length; i++) {
        double g = gradient[i] * scale;
        first[i] = CONFIG.beta1() * first[i] + (1 - CONFIG.beta1()) * g;
        second[i] = CONFIG.beta2() * second[i] + (1 - CONFIG.beta2()) * g * g;
        double m = first[i] / (1 - Math.pow(CONFIG.beta1(), updates));
        double v = second[i] / (1 - Math.pow(CONFIG.beta2(), updates));
        weights[i] -= learningRate * CONFIG.weightDecay() * weights[i];
        weights[i] -= learningRate * m / (Math.sqrt(v) + CONFIG.epsilon());
      }
    }

    static double norm(float[] gradient) {
      double squares = 0;
      for (float g : gradient) {
        squares += (double) g * g;
      }
      return Math.sqrt(squares);
    }
  }

  private static void run(AdamW optimizer, int from, int to) {
    for (int step = from; step < to; step++) {
      backward(optimizer, gradient(new SplittableRandom(step), 0.5));
      optimizer.update(1e-2, optimizer.gradientNorm());
    }
  }

  /** Makes {@code gradient} the gradient, on top of what is there: d(p · g)/dp = g. */
  private static void backward(AdamW optimizer, float[] gradient) {
    try (NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      NDArray product =
          products
              .call("product", optimizer.parameters(), model.manager().create(gradient))
              .singletonOrThrow(); // []
      Autograd.backward(product);
    }
  }

  private static float[] gradient(SplittableRandom random, double scale) {
    float[] gradient = new float[model.layout().size()];
    for (int i = 0; i < gradient.length; i++) {
      gradient[i] = (float) (scale * (random.nextDouble() - 0.5));
    }
    return gradient;
  }

  private static void requireClose(float[] found, double[] expected, double tolerance, int step) {
    for (int i = 0; i < found.length; i++) {
      assertThat((double) found[i])
          .as("step %d element %d", step, i)
          .isCloseTo(expected[i], within(tolerance));
    }
  }
}
