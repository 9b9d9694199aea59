package org.p3ostream.policy.torch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import ai.djl.Device;
import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.pytorch.jni.JniUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.TinyModels;

class AutogradTest {

  private static final String METHODS =
      """
      def sum_of_squares(self, x: Tensor) -> Tensor:
        return torch.sum(torch.mul(x, x))
      """;

  @BeforeEach
  void startEngine() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
  }

  @Test
  void backwardAccumulatesGradientsInTheLeaf() {
    try (NDManager manager = TorchRuntime.newManager(Device.cpu());
        ScriptModule module = ScriptModule.compile(manager, METHODS)) {
      NDArray x = manager.create(new double[] {1, -2, 3});
      x.setRequiresGradient(true);
      for (int pass = 0; pass < 2; pass++) {
        try (Autograd recording = Autograd.record()) {
          Autograd.backward(module.call("sum_of_squares", x).singletonOrThrow());
        }
      }
      assertThat(x.getGradient().toDoubleArray()).containsExactly(4, -8, 12);
    }
  }

  @Test
  void callsCarryAGraphOnlyWhileRecording() {
    try (NDManager manager = TorchRuntime.newManager(Device.cpu());
        ScriptModule module = ScriptModule.compile(manager, METHODS)) {
      NDArray x = manager.create(new double[] {1});
      x.setRequiresGradient(true);
      assertThat(carriesGraph(module.call("sum_of_squares", x).singletonOrThrow())).isFalse();
      try (Autograd recording = Autograd.record()) {
        assertThat(carriesGraph(module.call("sum_of_squares", x).singletonOrThrow())).isTrue();
      }
      assertThat(carriesGraph(module.call("sum_of_squares", x).singletonOrThrow())).isFalse();
    }
  }

  @Test
  void closeRestoresTheModeThatWasInForce() {
    try (Autograd outer = Autograd.record()) {
      try (Autograd inner = Autograd.record()) {
        assertThat(JniUtils.isGradMode()).isTrue();
      }
      assertThat(JniUtils.isGradMode()).isTrue();
    }
    assertThat(JniUtils.isGradMode()).isFalse();
  }

  @Test
  void backwardRefusesWhatIsNoScalar() {
    try (NDManager manager = TorchRuntime.newManager(Device.cpu())) {
      NDArray vector = manager.create(new double[] {1, 2});
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Autograd.backward(vector))
          .withMessageContaining("0-dimensional")
          .withMessageContaining("(2)");
    }
  }

  @Test
  void closeOnAnotherThreadIsRefused() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try (Autograd recording = Autograd.record()) {
      Future<?> closing =
          other.submit(() -> assertThatIllegalStateException().isThrownBy(recording::close));
      closing.get();
    } finally {
      other.shutdown();
    }
  }

  @Test
  void gradientsOfTwoThreadsAreBitwiseThoseOfOne() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<List<double[]>>> running = new ArrayList<>();
      for (int thread = 0; thread < 2; thread++) {
        Callable<List<double[]>> work = AutogradTest::gradients;
        running.add(threads.submit(work));
      }
      List<double[]> expected = gradients();
      for (Future<List<double[]>> result : running) {
        List<double[]> actual = result.get();
        for (int round = 0; round < expected.size(); round++) {
          assertThat(actual.get(round)).as("round %d", round).isEqualTo(expected.get(round));
        }
      }
    } finally {
      threads.shutdown();
    }
  }

  private static boolean carriesGraph(NDArray scalar) {
    try {
      Autograd.backward(scalar);
      return true;
    } catch (EngineException e) {
      assertThat(e).hasMessageContaining("does not require grad");
      return false;
    }
  }

  /**
   * With the index tensors closed before backward and garbage collected, as a caller may do: what
   * the graph needs of them it has copied.
   */
  private static List<double[]> gradients() {
    ModelConfig config = TinyModels.GROUPED_TIED;
    List<double[]> gradients = new ArrayList<>();
    try (CausalLm model = TinyModels.model(config, DataType.FLOAT64)) {
      NDArray parameters = model.parameters(TinyModels.weights(config, 1));
      parameters.setRequiresGradient(true);
      for (int round = 0; round < 10; round++) {
        try (NDScope scope = new NDScope();
            Autograd recording = Autograd.record()) {
          scope.suppressNotUsedWarning();
          NDArray ids =
              model.manager().create(TinyModels.ids(config, 4, 8, round), new Shape(4, 8));
          NDArray positions = model.manager().create(new long[] {0, 9, 18, 27});
          NDArray targets = model.manager().create(new long[] {1, 2, 3, 4});
          NDArray loss = model.tokenLogprobs(parameters, ids, positions, targets, 1).sum();
          ids.close();
          positions.close();
          targets.close();
          if (round % 5 == 0) {
            System.gc();
          }
          Autograd.backward(loss);
          NDArray gradient = parameters.getGradient();
          gradients.add(gradient.toDoubleArray());
          gradient.subi(gradient);
        }
      }
    }
    return gradients;
  }
}
