package org.p3ostream.deploy.top;

import java.io.IOException;

/** The server asks for a token that it was not given. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
