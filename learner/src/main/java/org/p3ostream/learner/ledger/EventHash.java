package org.p3ostream.learner.ledger;

import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/** Identity of a step event: SHA-256 of its Avro bytes without the wire header, hexadecimal. */
public final class EventHash {

  /** What a GENESIS event names as its predecessor. */
  public static final String NONE = "";

  private EventHash() {}

  /**
   * The hash of an event.
   *
   * @param wireBytes the record's value as it lies in the topic
   */
  public static String of(byte[] wireBytes) {
    return WeightsDigest.sha256(RecordCodec.avroBody(wireBytes));
  }
}
