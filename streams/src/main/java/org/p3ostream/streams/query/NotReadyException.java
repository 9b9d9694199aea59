package org.p3ostream.streams.query;

/** The state stores cannot be read now: the topology starts, rebuilds them or has ended. */
public final class NotReadyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NotReadyException(String message) {
    super(message);
  }

  public NotReadyException(String message, Throwable cause) {
    super(message, cause);
  }
}
