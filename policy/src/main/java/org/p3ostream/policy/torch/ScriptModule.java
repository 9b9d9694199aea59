package org.p3ostream.policy.torch;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;

/**
 * TorchScript methods compiled from source text. Calls never run in inference mode, so that results
 * may enter a graph; whether they record one is decided by the thread's grad mode (see {@link
 * Autograd}).
 */
public final class ScriptModule implements AutoCloseable {

  private ScriptModule() {}

  /**
   * Compiles a module.
   *
   * @param manager owns the module
   * @param methods the methods, top-level indentation, in the serialised TorchScript dialect: full
   *     {@code torch.} names, no default arguments
   * @throws IllegalArgumentException with the compiler's message and the numbered source if it does
   *     not compile
   */
  public static ScriptModule compile(NDManager manager, String methods) {
    throw new UnsupportedOperationException("not built yet" + manager + methods);
  }

  /**
   * Calls a method with tensor arguments. Results attach to the manager of the first argument.
   *
   * @return the tensors returned, one for a {@code Tensor} result
   */
  public NDList call(String method, NDArray... arguments) {
    throw new UnsupportedOperationException("not built yet" + method + arguments.length);
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("not built yet");
  }
}
