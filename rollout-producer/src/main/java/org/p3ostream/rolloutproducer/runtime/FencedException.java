package org.p3ostream.rolloutproducer.runtime;

/** Another process with the same transactional id has taken over; this one must end. */
public final class FencedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public FencedException(String message, Throwable cause) {
    super(message, cause);
  }
}
