package org.p3ostream.learner.replica;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.policy.torch.ScriptModule;

/**
 * One copy of the parameters on one device and the gradient that it collects, [P] each. What moves
 * between devices are finished gradients and weights; DJL's transfer carries no graph.
 */
public final class ParameterLeaf implements AutoCloseable {

  private static final String SCRIPT =
      """
      def add(self, to: Tensor, other: Tensor) -> Tensor:
        return to.add_(other)
      def copy(self, to: Tensor, other: Tensor) -> Tensor:
        return to.copy_(other)
      def clear(self, g: Tensor) -> Tensor:
        return g.zero_()
      """;

  private final NDArray parameters; // [P], leaf
  private final ScriptModule script;

  /**
   * @param manager on the device of the parameters
   * @param parameters [P], a leaf; stay the caller's to close
   */
  ParameterLeaf(NDManager manager, NDArray parameters) {
    this.parameters = parameters;
    this.script = ScriptModule.compile(manager, SCRIPT);
  }

  NDArray parameters() {
    return parameters;
  }

  Device device() {
    return parameters.getDevice();
  }

  /**
   * Gives the leaf a gradient of zeros. Before the first backward pass there is none, and what is
   * added to none is lost; a replica may have nothing to back-propagate.
   */
  void startGradient() {
    try (NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      Autograd.backward(parameters.sum()); // ones
    }
    clearGradient();
  }

  /** Adds another leaf's gradient to this one's. */
  void addGradientOf(ParameterLeaf other) {
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray added = other.parameters.getGradient().toDevice(device(), false); // [P]
      script.call("add", parameters.getGradient(), added);
    }
  }

  /** Takes over another leaf's weights. */
  void copyFrom(ParameterLeaf other) {
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      script.call("copy", parameters, other.parameters.toDevice(device(), false));
    }
  }

  /** Drops the gradient. */
  public void clearGradient() {
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      script.call("clear", parameters.getGradient());
    }
  }

  /** A copy of the gradient, [P]. */
  public double[] gradient() {
    try (NDArray gradient = parameters.getGradient()) { // [P]
      if (gradient.getDataType() == DataType.FLOAT64) {
        return gradient.toDoubleArray();
      }
      float[] floats = gradient.toFloatArray();
      double[] values = new double[floats.length];
      for (int i = 0; i < values.length; i++) {
        values[i] = floats[i];
      }
      return values;
    }
  }

  @Override
  public void close() {
    script.close();
  }
}
