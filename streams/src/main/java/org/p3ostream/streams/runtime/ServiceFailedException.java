package org.p3ostream.streams.runtime;

/** The metrics service ended because something broke that no retry mends. */
public final class ServiceFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ServiceFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
