package org.p3ostream.schemas.serde;

import org.jspecify.annotations.Nullable;

/** The registry answered, and the answer is no: the same call will fail again. */
public final class RegistryRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Error code of a registry that does not know the schema id it was asked for. */
  public static final int SCHEMA_ID_NOT_FOUND = 40403;

  private final int status;
  private final int errorCode;

  /**
   * @param message what was asked and what came back
   * @param status HTTP status
   * @param errorCode code of the Confluent REST API; 0 if the answer carried none
   * @param cause what reported the answer, if anything did
   */
  public RegistryRefusedException(
      String message, int status, int errorCode, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
    this.errorCode = errorCode;
  }

  /** HTTP status. */
  public int status() {
    return status;
  }

  /** Code of the Confluent REST API; 0 if the answer carried none. */
  public int errorCode() {
    return errorCode;
  }
}
