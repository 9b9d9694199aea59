package org.p3ostream.deploy.clients;

/** No schema registry answered until the deadline. */
public final class RegistryUnreachableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  RegistryUnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
