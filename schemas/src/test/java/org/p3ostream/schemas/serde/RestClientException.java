package org.p3ostream.schemas.serde;

/** Has the shape of the exception by which Confluent's client reports an answer. */
public final class RestClientException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final int errorCode;

  RestClientException(int status, int errorCode) {
    super("answer; error code: " + errorCode);
    this.status = status;
    this.errorCode = errorCode;
  }

  public int getStatus() {
    return status;
  }

  public int getErrorCode() {
    return errorCode;
  }
}
