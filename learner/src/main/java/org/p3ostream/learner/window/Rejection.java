package org.p3ostream.learner.window;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.RejectionReason;

/**
 * A record that is not trained on. Its texts are cut to {@link Excerpt}'s bounds.
 *
 * @param coordinate where it lies
 * @param reason reason code
 * @param field path of the offending field; null for the whole record
 * @param cause value found and rule broken
 * @param origin what could be read of it; null if it could not be decoded
 * @param valueBytes size of its value, bytes
 */
public record Rejection(
    RolloutCoordinate coordinate,
    RejectionReason reason,
    @Nullable String field,
    String cause,
    @Nullable Origin origin,
    int valueBytes) {
  public Rejection {
    field = Excerpt.ofNullable(field, Excerpt.FIELD_BYTES);
    cause = Excerpt.of(cause, Excerpt.CAUSE_BYTES);
  }

  /** Identity that a rejected record claims. */
  public record Origin(long groupId, int attempt, String producerId) {
    public Origin {
      producerId = Excerpt.of(producerId, Excerpt.PRODUCER_ID_BYTES);
    }
  }

  @Override
  public String toString() {
    return coordinate
        + " "
        + reason
        + (field == null ? "" : " " + field)
        + ": "
        + cause
        + (origin == null ? "" : " (" + origin + ")");
  }
}
