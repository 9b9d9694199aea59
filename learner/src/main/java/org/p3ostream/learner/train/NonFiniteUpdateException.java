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

  /** Names the groups of the window and what to do about it. */
  public static NonFiniteUpdateException of(Window window, String what) {
    return new NonFiniteUpdateException(
        WindowDescription.of(
            window,
            what
                + " is not finite; nothing was published, a restart comes to the same window. To go"
                + " on without it, restart the learner with --skip-window "
                + window.index()));
  }
}
