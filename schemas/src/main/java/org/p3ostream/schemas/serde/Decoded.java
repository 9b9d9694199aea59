package org.p3ostream.schemas.serde;

import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.schemas.avro.RejectionReason;

/** What the bytes of a topic turned out to be. */
public sealed interface Decoded {

  /** A record of one of this project's types. */
  record Accepted(SpecificRecord record) implements Decoded {}

  /** Bytes that no retry will make readable. */
  record Rejected(RejectionReason reason, String cause) implements Decoded {}
}
