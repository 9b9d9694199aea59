package org.p3ostream.policy.torch;

import ai.djl.engine.EngineException;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValueUtils;
import ai.djl.pytorch.jni.JniUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * TorchScript methods compiled from source text. Calls never run in inference mode, so that results
 * may enter a graph; whether they record one is decided by the thread's grad mode (see {@link
 * Autograd}).
 */
public final class ScriptModule implements AutoCloseable {

  private static final Pattern METHOD = Pattern.compile("(?m)^def (\\w+)\\(");

  private final PtSymbolBlock block;

  /** Per method, the named array by which DJL is told which method to run. */
  private final Map<String, NDArray> selectors;

  private ScriptModule(PtSymbolBlock block, Map<String, NDArray> selectors) {
    this.block = block;
    this.selectors = selectors;
  }

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
    String source = ScriptArchive.classSource(methods);
    PtSymbolBlock block;
    try {
      ByteArrayInputStream archive = new ByteArrayInputStream(ScriptArchive.of(source));
      block = JniUtils.loadModule((PtNDManager) manager, archive, false, false);
    } catch (EngineException e) {
      throw new IllegalArgumentException(
          "TorchScript does not compile: " + e.getMessage() + "\n" + numbered(source), e);
    } catch (IOException e) {
      throw new UncheckedIOException("reading from memory", e);
    }
    return new ScriptModule(block, selectors(manager, methods));
  }

  /**
   * Calls a method with tensor arguments. Results attach to the manager of the first argument. A
   * graph keeps what it needs of the arguments, and an array made from Java memory is not kept
   * alive by it: such arguments must stay open until after backward.
   *
   * @return the tensors returned, one for a {@code Tensor} result
   */
  public NDList call(String method, NDArray... arguments) {
    NDArray selector = selectors.get(method);
    if (selector == null) {
      throw new IllegalArgumentException(
          "no method '" + method + "', there are " + selectors.keySet());
    }
    if (arguments.length == 0) {
      throw new IllegalArgumentException(
          method + ": without an argument no manager would own the result");
    }
    NDList inputs = new NDList(arguments);
    inputs.add(selector);
    boolean notInferenceMode = true;
    return IValueUtils.forward(block, inputs, notInferenceMode);
  }

  @Override
  public void close() {
    selectors.values().forEach(NDArray::close);
    block.close();
  }

  private static Map<String, NDArray> selectors(NDManager manager, String methods) {
    Map<String, NDArray> selectors = new LinkedHashMap<>();
    Matcher method = METHOD.matcher(methods);
    while (method.find()) {
      NDArray selector = manager.create(0);
      selector.setName("module_method:" + method.group(1));
      NDScope.unregister(selector); // lives as long as the module, whatever scope is open
      selectors.put(method.group(1), selector);
    }
    return selectors;
  }

  private static String numbered(String source) {
    StringBuilder text = new StringBuilder();
    String[] lines = source.split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      text.append(String.format("%4d  %s%n", i + 1, lines[i]));
    }
    return text.toString();
  }
}
