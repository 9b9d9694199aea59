package org.p3ostream.tests.support;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.p3ostream.deploy.stack.LocalStack;

/**
 * One real broker and one real registry for all tests of a JVM; a test takes a {@link LocalStack}.
 */
public final class LocalStackExtension implements ParameterResolver {

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == LocalStack.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    return context
        .getRoot()
        .getStore(Namespace.create(LocalStackExtension.class))
        .computeIfAbsent(Running.class, key -> new Running(), Running.class)
        .stack;
  }

  private static final class Running implements AutoCloseable {
    private final LocalStack stack;

    Running() {
      try {
        stack = LocalStack.start(Files.createTempDirectory(Path.of("target"), "stack-"));
      } catch (java.io.IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      stack.close();
    }
  }
}
