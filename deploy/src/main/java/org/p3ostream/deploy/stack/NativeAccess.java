package org.p3ostream.deploy.stack;

import java.util.List;

/**
 * What libraries that leave the JVM (torch, LZ4, Netty, the broker's mapped files) need to be
 * allowed. Newer Java versions warn about each and will refuse in the end.
 */
final class NativeAccess {

  /** From here on Java warns about loading native libraries and about sun.misc.Unsafe. */
  private static final int FIRST_THAT_WARNS = 24;

  private NativeAccess() {}

  /**
   * Flags of a JVM.
   *
   * @param feature Java version, for instance 17; the older ones do not know the flags
   */
  static List<String> jvmFlags(int feature) {
    return feature < FIRST_THAT_WARNS
        ? List.of()
        : List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow");
  }
}
