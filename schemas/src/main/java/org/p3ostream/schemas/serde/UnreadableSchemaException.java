package org.p3ostream.schemas.serde;

import org.apache.kafka.common.errors.SerializationException;
import org.jspecify.annotations.Nullable;

/** The registry holds a schema under the id, but not one that can be read as Avro. */
public final class UnreadableSchemaException extends SerializationException {
  private static final long serialVersionUID = 1L;

  public UnreadableSchemaException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
