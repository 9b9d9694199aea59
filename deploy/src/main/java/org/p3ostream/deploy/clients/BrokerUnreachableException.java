package org.p3ostream.deploy.clients;

/** No broker answered until the deadline. */
public final class BrokerUnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokerUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
