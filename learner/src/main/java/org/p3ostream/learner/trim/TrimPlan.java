package org.p3ostream.learner.trim;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.schemas.avro.PartitionProgress;

/**
 * Where the log may begin. Kept is whatever one of these needs:
 *
 * <ul>
 *   <li>executing every window again that follows the oldest kept checkpoint: its rollouts, and the
 *       snapshots of the versions that sampled them, which the exact KL computes with;
 *   <li>training what is not consumed: every rollout from the contiguous prefix on;
 *   <li>sampling what is dispatched and open: its prompts and the versions they ask for, with those
 *       before that a mixture samples by, whoever samples them and however late;
 *   <li>some windows more, for people.
 * </ul>
 *
 * The ledger itself is never trimmed.
 *
 * @param fromWindow first window that stays whole
 * @param firstGroup prompts of earlier groups may go
 * @param snapshotVersion snapshots of earlier versions may go
 * @param rolloutsBefore by partition: rollouts below the offset may go
 */
public record TrimPlan(
    long fromWindow, long firstGroup, long snapshotVersion, Map<Integer, Long> rolloutsBefore) {
  public TrimPlan {
    rolloutsBefore = Map.copyOf(rolloutsBefore);
  }

  /**
   * The furthest that the log may be trimmed.
   *
   * @param ledger where the run stands
   * @param checkpointWindows windows settled at the oldest kept checkpoint
   * @param keepWindows windows kept before those, for people
   * @param dispatch how many groups a window has, and how far back versions are sampled by
   * @return empty if nothing may go
   */
  public static Optional<TrimPlan> of(
      TrimBook book,
      LedgerState ledger,
      long checkpointWindows,
      int keepWindows,
      DispatchConfig dispatch) {
    long fromWindow = Math.min(checkpointWindows, ledger.nextWindow()) - keepWindows;
    if (fromWindow <= 0) {
      return Optional.empty();
    }
    Map<Integer, Long> rolloutsBefore = new TreeMap<>();
    for (PartitionProgress progress : ledger.progress()) {
      int partition = progress.getPartition();
      rolloutsBefore.put(
          partition, book.firstOffset(partition, fromWindow, progress.getNextOffset()));
    }
    long newest = ledger.policyVersion();
    long asked = Math.min(newest, ledger.dispatched().oldestVersion().orElse(newest));
    long sampled = Math.max(0, asked - dispatch.versionsBack());
    return Optional.of(
        new TrimPlan(
            fromWindow,
            fromWindow * dispatch.groupsPerWindow(),
            book.oldestVersion(fromWindow, sampled),
            rolloutsBefore));
  }
}
