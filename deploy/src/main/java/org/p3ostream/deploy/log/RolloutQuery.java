package org.p3ostream.deploy.log;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.RolloutGroup;

/**
 * Which rollout groups are asked for.
 *
 * @param limit how many at most
 * @param newest the last ones rather than the first
 * @param window of this window only; null for any
 * @param groupId with this id only; null for any
 */
public record RolloutQuery(
    int limit, boolean newest, @Nullable Long window, @Nullable Long groupId) {

  boolean matches(RolloutGroup group) {
    return (window == null || window == group.getWindowIndex())
        && (groupId == null || groupId == group.getGroupId());
  }
}
