package org.p3ostream.streams.lookup;

/** Ratios of a step cannot be had; asking again does not help. */
public final class NoRatiosException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public NoRatiosException(String reason) {
    super(reason);
  }
}
