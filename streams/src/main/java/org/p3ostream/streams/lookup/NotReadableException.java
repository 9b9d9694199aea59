package org.p3ostream.streams.lookup;

/** The log cannot be read at the moment; asking again later may help. */
public final class NotReadableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NotReadableException(String reason) {
    super(reason);
  }
}
