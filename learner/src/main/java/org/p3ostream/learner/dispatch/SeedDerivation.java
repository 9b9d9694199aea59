package org.p3ostream.learner.dispatch;

/**
 * Seeds as functions of the run seed and a position, by the finaliser of SplitMix64 (Steele et al.
 * 2014).
 */
final class SeedDerivation {

  private SeedDerivation() {}

  /** A seed that depends on every part and on their order. */
  static long derive(long runSeed, long... parts) {
    long state = mix(runSeed + 0x9E3779B97F4A7C15L);
    for (long part : parts) {
      state = mix(3 * state + mix(part + 0x9E3779B97F4A7C15L)); // not symmetric in the two
    }
    return state;
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
