package org.p3ostream.deploy.log;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.RolloutGroup;

/**
 * Which rollout groups are asked for.
 *
 * @param limit how many at most
 * @param newest the last ones rather than the first
 * @param windows of these windows only
 * @param groupId with this id only; null for any
 * @param producerId of this producer only; null for any
 */
public record RolloutQuery(
    int limit,
    boolean newest,
    StepRange windows,
    @Nullable Long groupId,
    @Nullable String producerId) {

  boolean matches(RolloutGroup group) {
    return windows.contains(group.getWindowIndex())
        && (groupId == null || groupId == group.getGroupId())
        && (producerId == null || producerId.equals(group.getProducerId()));
  }
}
