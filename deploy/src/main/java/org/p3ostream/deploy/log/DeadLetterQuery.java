package org.p3ostream.deploy.log;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.RejectionReason;

/**
 * Which dead letters are asked for.
 *
 * @param reason with this reason only; null for any
 * @param groupId about this group only; null for any
 * @param producerId about records of this producer only; null for any
 */
public record DeadLetterQuery(
    @Nullable RejectionReason reason, @Nullable Long groupId, @Nullable String producerId) {

  boolean matches(DeadLetter letter) {
    return (reason == null || reason == letter.getReason())
        && (groupId == null || groupId.equals(letter.getGroupId()))
        && (producerId == null || producerId.equals(letter.getProducerId()));
  }
}
