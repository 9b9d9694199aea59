package org.p3ostream.learner.commit;

/**
 * It is not known whether a transaction committed. The process must end; a restart reads the ledger
 * and knows.
 */
public final class UnknownOutcomeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnknownOutcomeException(String message, Throwable cause) {
    super(message, cause);
  }
}
