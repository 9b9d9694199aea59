package org.p3ostream.learner.train;

import org.p3ostream.learner.window.Window;

/**
 * A window whose statistics, loss, gradient or weights are not finite. Nothing of it may be
 * published.
 */
public final class NonFiniteUpdateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private NonFiniteUpdateException(String message) {
    super(message);
  }

  /**
   * The same weights.
   *
   * @param weights after the update with {@code window}, [P]
   * @throws NonFiniteUpdateException if one of them is not finite
   */
  public static float[] requireFinite(float[] weights, Window window) {
    for (float weight : weights) {
      if (!Float.isFinite(weight)) {
        throw of(window, "weight " + weight);
      }
    }
    return weights;
  }

  /** Names the groups of the window and what to do about it. */
  static NonFiniteUpdateException of(Window window, String what) {
    return new NonFiniteUpdateException(
        WindowDescription.of(
            window,
            what
                + " is not finite; nothing was published, a restart comes to the same window. To go"
                + " on without it, restart the learner with --skip-window "
                + window.index()));
  }
}
