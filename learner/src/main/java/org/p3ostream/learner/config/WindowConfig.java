package org.p3ostream.learner.config;

/**
 * What a window is.
 *
 * @param maxTopUps how often a group is dispatched again, lost or rejected, before its window is
 *     trained without it
 */
public record WindowConfig(int maxTopUps) {
  public WindowConfig {
    if (maxTopUps < 0) {
      throw new IllegalArgumentException("window.maxTopUps: " + maxTopUps + " must be >= 0");
    }
  }

  public static WindowConfig defaults() {
    return new WindowConfig(10);
  }
}
