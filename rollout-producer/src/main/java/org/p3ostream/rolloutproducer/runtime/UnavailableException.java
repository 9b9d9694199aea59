package org.p3ostream.rolloutproducer.runtime;

/** Broker or registry failed for longer than the deadline. Nothing is lost: a restart continues. */
public final class UnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public UnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
