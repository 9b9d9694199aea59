package org.p3ostream.policy.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.Shape;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.policy.torch.Autograd;

/** Gradients of Σ cᵢ log π(yᵢ) against central differences, float64. */
class GradientTest {

  private static final double STEP = 1e-5;
  private static final int ROWS = 2;
  private static final int LENGTH = 6;
  private static final long[] POSITIONS = {0, 1, 2, 3, 4, 6, 7, 8, 9, 10};
  private static final double TEMPERATURE = 1.3;

  static Stream<ModelConfig> configs() {
    return CausalLmTest.configs();
  }

  @ParameterizedTest
  @MethodSource("configs")
  void backwardAgreesWithFiniteDifferencesAlongRandomDirections(ModelConfig config) {
    try (CausalLm model = TinyModels.float64(config)) {
      double[] point = point(config);
      double[] gradient = gradient(model, point);
      for (int seed = 0; seed < 5; seed++) {
        double bound = Math.sqrt(3.0 / point.length); // a direction of length 1
        double[] direction = new Random(seed).doubles(point.length, -bound, bound).toArray();
        double expected = slope(model, point, direction);
        double actual = 0;
        for (int i = 0; i < point.length; i++) {
          actual += gradient[i] * direction[i];
        }
        assertThat(actual)
            .as("direction of seed %d", seed)
            .isCloseTo(expected, within(1e-7 * Math.max(1, Math.abs(expected))));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("configs")
  void backwardAgreesWithFiniteDifferencesInCoordinatesOfEveryParameter(ModelConfig config) {
    try (CausalLm model = TinyModels.float64(config)) {
      double[] point = point(config);
      double[] gradient = gradient(model, point);
      Random random = new Random(1);
      for (ParameterLayout.Slice slice : model.layout().slices()) {
        for (int draw = 0; draw < 3; draw++) {
          int i = (int) (slice.elementOffset() + random.nextInt((int) slice.elementCount()));
          double[] direction = new double[point.length];
          direction[i] = 1;
          assertThat(gradient[i])
              .as("%s, element %d", slice.name(), i)
              .isCloseTo(slope(model, point, direction), within(1e-7));
        }
      }
    }
  }

  private static double[] gradient(CausalLm model, double[] point) {
    try (NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      NDArray parameters = model.manager().create(point);
      parameters.setRequiresGradient(true);
      Autograd.backward(loss(model, parameters));
      return parameters.getGradient().toDoubleArray();
    }
  }

  private static double slope(CausalLm model, double[] point, double[] direction) {
    return (value(model, point, direction, STEP) - value(model, point, direction, -STEP))
        / (2 * STEP);
  }

  private static double value(CausalLm model, double[] point, double[] direction, double step) {
    double[] moved = new double[point.length];
    for (int i = 0; i < point.length; i++) {
      moved[i] = point[i] + step * direction[i];
    }
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      return loss(model, model.manager().create(moved)).getDouble();
    }
  }

  private static NDArray loss(CausalLm model, NDArray parameters) {
    NDManager manager = model.manager();
    long[] ids = TinyModels.ids(model.config(), ROWS, LENGTH, 2);
    long[] targets = TinyModels.ids(model.config(), 1, POSITIONS.length, 3);
    double[] coefficients = new Random(4).doubles(POSITIONS.length, -1, 1).toArray();
    NDArray logprobs =
        model.tokenLogprobs(
            parameters,
            manager.create(ids, new Shape(ROWS, LENGTH)),
            manager.create(POSITIONS),
            manager.create(targets),
            TEMPERATURE);
    return logprobs.mul(manager.create(coefficients)).sum();
  }

  private static double[] point(ModelConfig config) {
    float[] weights = TinyModels.weights(config, 9);
    double[] point = new double[weights.length];
    for (int i = 0; i < point.length; i++) {
      point[i] = weights[i];
    }
    return point;
  }
}
