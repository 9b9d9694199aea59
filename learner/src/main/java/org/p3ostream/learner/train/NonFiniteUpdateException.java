package org.p3ostream.learner.train;

/**
 * A window whose statistics, loss, gradient or weights are not finite. Nothing of it may be
 * published.
 */
public final class NonFiniteUpdateException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NonFiniteUpdateException(String message) {
    super(message);
  }
}
