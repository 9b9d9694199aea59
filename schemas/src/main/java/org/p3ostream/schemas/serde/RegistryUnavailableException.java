package org.p3ostream.schemas.serde;

import org.jspecify.annotations.Nullable;

/** The registry could not be asked; the same call may succeed later. */
public final class RegistryUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RegistryUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
