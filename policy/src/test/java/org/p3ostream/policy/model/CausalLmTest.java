package org.p3ostream.policy.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CausalLmTest {

  private static final int ROWS = 3;
  private static final int LENGTH = 9;

  static Stream<ModelConfig> configs() {
    return Stream.of(TinyModels.GROUPED_TIED, TinyModels.FULL_UNTIED, TinyModels.SINGLE_KEY_HEAD);
  }

  @ParameterizedTest
  @MethodSource("configs")
  void logitsAgreeWithTheReferenceDecoder(ModelConfig config) {
    float[] weights = TinyModels.weights(config, 7);
    try (CausalLm model = TinyModels.float64(config);
        NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray ids = ids(model, 1);
      double[] actual = model.logits(model.parameters(weights), ids).toDoubleArray();
      double[] expected =
          new ReferenceDecoder(config, weights, model.manager()).logits(ids).toDoubleArray();
      assertThat(actual).hasSize(ROWS * LENGTH * config.vocabSize());
      assertThat(actual).containsExactly(expected, within(1e-12));
    }
  }

  @ParameterizedTest
  @MethodSource("configs")
  void tokenLogprobsAreGatheredFromTheTemperedSoftmax(ModelConfig config) {
    double temperature = 1.7;
    float[] weights = TinyModels.weights(config, 8);
    long[] positions = {0, 4, 8, 9, 25, 4};
    long[] targets = {1, 0, 5, 2, 4, 3};
    try (CausalLm model = TinyModels.float64(config);
        NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray ids = ids(model, 2);
      double[] actual =
          model
              .tokenLogprobs(
                  model.parameters(weights),
                  ids,
                  model.manager().create(positions),
                  model.manager().create(targets),
                  temperature)
              .toDoubleArray();
      double[] logits =
          new ReferenceDecoder(config, weights, model.manager()).logits(ids).toDoubleArray();
      for (int i = 0; i < positions.length; i++) {
        assertThat(actual[i])
            .isCloseTo(
                logSoftmax(logits, config.vocabSize(), positions[i], targets[i], temperature),
                within(1e-12));
      }
    }
  }

  /** In float32: one temperature for all gives the very bits of the same one for each. */
  @Test
  void tokenLogprobsTakeTheTemperatureOfEachToken() {
    ModelConfig config = TinyModels.GROUPED_TIED;
    try (CausalLm model = new CausalLm(config, Device.cpu(), DataType.FLOAT32);
        NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray parameters = model.parameters(TinyModels.weights(config, 8));
      NDArray ids = ids(model, 2);
      NDArray positions = model.manager().create(new long[] {0, 4, 8});
      NDArray targets = model.manager().create(new long[] {1, 0, 5});
      float[] cold = model.tokenLogprobs(parameters, ids, positions, targets, 0.6).toFloatArray();
      float[] hot = model.tokenLogprobs(parameters, ids, positions, targets, 1.7).toFloatArray();
      float[] each =
          model
              .tokenLogprobs(parameters, ids, positions, targets, new double[] {0.6, 1.7, 0.6})
              .toFloatArray();
      assertThat(each).containsExactly(cold[0], hot[1], cold[2]);
      float[] logits = model.tokenLogits(parameters, ids, positions).toFloatArray();
      float[] all = model.logits(parameters, ids).toFloatArray();
      int width = config.vocabSize();
      for (int v = 0; v < width; v++) {
        assertThat(logits[width + v]).isCloseTo(all[4 * width + v], within(1e-6f));
      }
    }
  }

  @Test
  void logitsOfAPositionDoNotDependOnWhatFollows() {
    ModelConfig config = TinyModels.GROUPED_TIED;
    try (CausalLm model = TinyModels.float64(config);
        NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray parameters = model.parameters(TinyModels.weights(config, 3));
      long[] tokens = {4, 1, 7, 2};
      long[] otherEnd = {4, 1, 7, 5};
      double[] first =
          model
              .logits(parameters, model.manager().create(tokens, new Shape(1, 4)))
              .get(":, :3")
              .toDoubleArray();
      double[] second =
          model
              .logits(parameters, model.manager().create(otherEnd, new Shape(1, 4)))
              .get(":, :3")
              .toDoubleArray();
      assertThat(first).isEqualTo(second);
    }
  }

  @Test
  void float32AgreesWithFloat64ToSinglePrecision() {
    ModelConfig config = TinyModels.GROUPED_TIED;
    float[] weights = TinyModels.weights(config, 5);
    double[][] logits = new double[2][];
    for (DataType dtype : new DataType[] {DataType.FLOAT32, DataType.FLOAT64}) {
      try (CausalLm model = TinyModels.model(config, dtype);
          NDScope scope = new NDScope()) {
        scope.suppressNotUsedWarning();
        NDArray result = model.logits(model.parameters(weights), ids(model, 4));
        assertThat(result.getDataType()).isEqualTo(dtype);
        logits[dtype == DataType.FLOAT32 ? 0 : 1] =
            result.toType(DataType.FLOAT64, false).toDoubleArray();
      }
    }
    assertThat(logits[0]).containsExactly(logits[1], within(2e-4));
  }

  @Test
  void parametersOutliveTheScopeTheyWereMadeIn() {
    ModelConfig config = TinyModels.GROUPED_TIED;
    float[] weights = TinyModels.weights(config, 6);
    try (CausalLm model = TinyModels.model(config, DataType.FLOAT32)) {
      NDArray parameters;
      try (NDScope scope = new NDScope()) {
        scope.suppressNotUsedWarning();
        parameters = model.parameters(weights);
      }
      assertThat(parameters.toFloatArray()).isEqualTo(weights);
    }
  }

  /** What Java memory the weights came from is collected and used again. */
  @Test
  void parametersDoNotLiveInJavaMemory() {
    ModelConfig config = TinyModels.GROUPED_TIED;
    float[] weights = TinyModels.weights(config, 6);
    try (CausalLm model = TinyModels.model(config, DataType.FLOAT32)) {
      NDArray parameters = model.parameters(weights);
      for (int round = 0; round < 10; round++) {
        System.gc(); // cleaners run on a thread of their own, so one round may come too early
        for (int i = 0; i < 50; i++) {
          model.manager().create(new float[weights.length]); // stays open: takes up freed memory
        }
        assertThat(parameters.toFloatArray()).as("round %d", round).isEqualTo(weights);
      }
    }
  }

  @Test
  void constructorRefusesOtherTypes() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TinyModels.model(TinyModels.GROUPED_TIED, DataType.FLOAT16))
        .withMessageContaining("float16")
        .withMessageContaining("float32 or float64");
  }

  @Test
  void shapesThatDoNotFitAreRefused() {
    ModelConfig config = TinyModels.GROUPED_TIED;
    try (CausalLm model = TinyModels.model(config, DataType.FLOAT32);
        NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray parameters = model.parameters(TinyModels.weights(config, 6));
      NDArray ids = ids(model, 1);
      NDArray one = model.manager().create(new long[] {0});
      NDArray two = model.manager().create(new long[] {0, 1});
      assertThatIllegalArgumentException()
          .isThrownBy(() -> model.parameters(new float[3]))
          .withMessageContaining("3 weights")
          .withMessageContaining("" + model.layout().size());
      assertThatIllegalArgumentException()
          .isThrownBy(() -> model.logits(one, ids))
          .withMessageContaining("parameters must be [" + model.layout().size() + "]");
      assertThatIllegalArgumentException()
          .isThrownBy(
              () ->
                  model.logits(parameters, model.manager().zeros(new Shape(1, 33), DataType.INT64)))
          .withMessageContaining("1 <= T <= 32");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> model.tokenLogprobs(parameters, ids, one, two, 1))
          .withMessageContaining("positions and targets");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> model.tokenLogprobs(parameters, ids, one, one, 0))
          .withMessageContaining("temperature: 0.0");
    }
  }

  private static NDArray ids(CausalLm model, long seed) {
    long[] ids = TinyModels.ids(model.config(), ROWS, LENGTH, seed);
    return model.manager().create(ids, new Shape(ROWS, LENGTH));
  }

  private static double logSoftmax(
      double[] logits, int vocabulary, long position, long target, double temperature) {
    int start = (int) position * vocabulary;
    double sum = 0;
    for (int v = 0; v < vocabulary; v++) {
      sum += Math.exp(logits[start + v] / temperature);
    }
    return logits[start + (int) target] / temperature - Math.log(sum);
  }
}
