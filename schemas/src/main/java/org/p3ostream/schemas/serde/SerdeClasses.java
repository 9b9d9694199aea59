package org.p3ostream.schemas.serde;

import java.util.ServiceConfigurationError;

/** Creates serializers and deserializers by class name. */
final class SerdeClasses {

  private SerdeClasses() {}

  /**
   * @param className name of a class with a public no-argument constructor
   * @param type what it must be
   * @throws IllegalArgumentException naming the class, if it cannot be loaded, is no {@code type}
   *     or cannot be constructed
   */
  static <T> T create(String className, Class<T> type) {
    Class<?> named = load(className, type);
    if (!type.isAssignableFrom(named)) {
      throw new IllegalArgumentException("'" + className + "' is no " + type.getName());
    }
    try {
      return type.cast(named.getConstructor().newInstance());
    } catch (ReflectiveOperationException | LinkageError e) {
      throw new IllegalArgumentException(
          "'" + className + "' cannot be created; it needs a public no-argument constructor: " + e,
          e);
    }
  }

  /**
   * Runs {@code configure} of an instance of {@code className}, which may be the first to miss a
   * library.
   *
   * @throws IllegalArgumentException naming the class, if something it needs is not there
   */
  static void configure(String className, Runnable configure) {
    try {
      configure.run();
    } catch (LinkageError | ServiceConfigurationError e) {
      throw new IllegalArgumentException(
          "'" + className + "' lacks something on the class path: " + e, e);
    }
  }

  private static Class<?> load(String className, Class<?> type) {
    ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
    try {
      return Class.forName(
          className, true, ofThread == null ? SerdeClasses.class.getClassLoader() : ofThread);
    } catch (ClassNotFoundException | LinkageError e) {
      throw new IllegalArgumentException(
          "'" + className + "', named as " + type.getSimpleName() + ", cannot be loaded: " + e, e);
    }
  }
}
