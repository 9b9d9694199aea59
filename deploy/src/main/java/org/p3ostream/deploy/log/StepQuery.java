package org.p3ostream.deploy.log;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * Which events of the ledger are asked for.
 *
 * @param steps of these steps only
 * @param groupId that dispatch, train, pass or give up this group only; null for any
 */
public record StepQuery(StepRange steps, @Nullable Long groupId) {

  boolean matches(StepEvent event) {
    return steps.contains(event.getStep()) && (groupId == null || names(event, groupId));
  }

  private static boolean names(StepEvent event, long groupId) {
    return event.getWindow().stream().anyMatch(entry -> entry.getGroupId() == groupId)
        || event.getDispatched().stream().anyMatch(group -> group.getGroupId() == groupId)
        || event.getMissingGroups().contains(groupId);
  }
}
