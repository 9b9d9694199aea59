package org.p3ostream.learner.train;

import org.p3ostream.learner.window.Window;

/**
 * A window whose statistics, loss, gradient or weights are not finite. Nothing of it may be
 * published.
 */
public final class NonFiniteUpdateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NonFiniteUpdateException(String message) {
    super(message);
  }

  static NonFiniteUpdateException of(Window window, String what) {
    return new NonFiniteUpdateException(
        WindowDescription.of(window, what + " is not finite; nothing was published"));
  }
}
