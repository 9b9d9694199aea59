package org.p3ostream.learner.ledger;

/**
 * The ledger is not one this learner may continue: another run's, broken, or of another
 * configuration.
 */
public final class LedgerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LedgerException(String message) {
    super(message);
  }
}
