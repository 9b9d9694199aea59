package org.p3ostream.policy.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.policy.torch.TorchRuntime;

/** A sequence cut into shards gives what the whole sequence gives, gradients included. */
class ContextShardsTest {

  private static final int ROWS = 3;

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
  }

  static Stream<ModelConfig> configs() {
    return CausalLmTest.configs();
  }

  @ParameterizedTest
  @MethodSource("configs")
  void everyCutGivesTheSameLogprobsAndGradient(ModelConfig config) {
    for (int length : new int[] {1, 3, 7, 8}) { // fewer columns than shards, and not a multiple
      Result whole = evaluate(model(config, ContextShards.NONE), length);
      for (int count : new int[] {2, 3, 4, 9}) {
        Result cut = evaluate(model(config, new ContextShards(count)), length);
        String description = "%d columns in %d shards".formatted(length, count);
        assertThat(cut.logprobs).as(description).containsExactly(whole.logprobs, within(1e-12));
        assertThat(cut.gradient).as(description).containsExactly(whole.gradient, within(1e-11));
      }
    }
  }

  /** The mask of a shard that takes its first query for the first of the sequence. */
  @Test
  void aMaskThatForgetsWhereItsShardStartsGivesOtherLogprobs() {
    ModelConfig config = TinyModels.GROUPED_TIED;
    ContextShards two = new ContextShards(2);
    String source = CausalLm.source(config, DataType.FLOAT64, two);
    String broken = source.replace("torch.tril(every, start)", "torch.tril(every, 0)");
    assertThat(broken).isNotEqualTo(source);
    Result whole = evaluate(model(config, ContextShards.NONE), 7);
    Result cut = evaluate(new CausalLm(config, Device.cpu(), DataType.FLOAT64, two, broken), 7);
    double largest = 0;
    for (int n = 0; n < whole.logprobs.length; n++) {
      largest = Math.max(largest, Math.abs(cut.logprobs[n] - whole.logprobs[n]));
    }
    assertThat(largest).isGreaterThan(1e-3);
  }

  @Test
  void ofNamesTheShardWhoseColumnsHoldIt() {
    for (int count = 1; count < 8; count++) {
      ContextShards shards = new ContextShards(count);
      for (int columns = 1; columns < 12; columns++) {
        for (int column = 0; column < columns; column++) {
          int shard = shards.of(column, columns);
          assertThat(column).isBetween(shard * columns / count, (shard + 1) * columns / count - 1);
        }
      }
    }
  }

  @Test
  void noShardAtAllIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ContextShards(0))
        .withMessageContaining("0 must be >= 1");
  }

  private static final class Result {
    final double[] logprobs; // [N]
    final double[] gradient; // [P]

    Result(double[] logprobs, double[] gradient) {
      this.logprobs = logprobs;
      this.gradient = gradient;
    }
  }

  private static CausalLm model(ModelConfig config, ContextShards shards) {
    return new CausalLm(config, Device.cpu(), DataType.FLOAT64, shards);
  }

  /** Log-probs at every position, and the gradient of their sum of squares. */
  private static Result evaluate(CausalLm model, int length) {
    try (model;
        NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      NDManager manager = model.manager();
      NDArray parameters = model.parameters(TinyModels.weights(model.config(), 5)); // [P]
      parameters.setRequiresGradient(true);
      long[] ids = TinyModels.ids(model.config(), ROWS, length, 6);
      NDArray logprobs =
          model.tokenLogprobs(
              parameters,
              manager.create(ids, new Shape(ROWS, length)),
              manager.create(LongStream.range(0, ids.length).toArray()),
              manager.create(TinyModels.ids(model.config(), ROWS, length, 7)),
              1.3); // [N]
      Autograd.backward(logprobs.square().sum());
      return new Result(logprobs.toDoubleArray(), parameters.getGradient().toDoubleArray());
    }
  }
}
