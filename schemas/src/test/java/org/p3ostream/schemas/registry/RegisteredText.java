package org.p3ostream.schemas.registry;

import org.apache.avro.Schema;

/** What a registry gets to see of a schema, for tests of other packages. */
public final class RegisteredText {

  private RegisteredText() {}

  public static String of(Schema schema) {
    return CanonicalSchema.textOf(schema);
  }
}
