package org.p3ostream.learner.audit;

import java.util.Map;
import java.util.TreeMap;
import org.p3ostream.schemas.avro.ControlChange;
import org.p3ostream.schemas.avro.ControlKind;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.TrimmedPartition;

/** Which records the ledger allows to be gone, against those that are. */
final class TrimAudit {

  private final AuditScope scope;
  private final Problems problems;
  private final Map<String, Long> allowed = new TreeMap<>(); // by topic-partition

  TrimAudit(AuditScope scope, Problems problems) {
    this.scope = scope;
    this.problems = problems;
  }

  /** Takes an event of the run, or of the one it was forked from. */
  void event(StepEvent event) {
    ControlChange control = event.getControl();
    if (control == null || control.getKind() != ControlKind.TRIM) {
      return;
    }
    for (TrimmedPartition trimmed : control.getTrimmed()) {
      allowed.merge(
          key(trimmed.getTopic(), trimmed.getPartition()), trimmed.getBeforeOffset(), Math::max);
    }
  }

  /** First offset that must be there. The ledger itself is never trimmed, whatever it says. */
  long allowedBefore(String topic, int partition) {
    return topic.equals(scope.topics().steps().name())
        ? 0
        : allowed.getOrDefault(key(topic, partition), 0L);
  }

  /** Whether a partition lost its beginning, and was allowed to. */
  boolean isTrimmed(String topic, int partition) {
    long first = scope.firstOffset(topic, partition);
    return first > 0 && first <= allowedBefore(topic, partition);
  }

  void finish() {
    for (PartitionExtent extent : scope.extents()) {
      long allowedBefore = allowedBefore(extent.topic(), extent.partition());
      if (extent.firstOffset() > allowedBefore) {
        problems.add(
            ProblemKind.RECORDS_GONE,
            key(extent.topic(), extent.partition()),
            "begins at offset %d, the ledger allows %s to be gone",
            extent.firstOffset(),
            allowedBefore == 0 ? "nothing" : "what is below " + allowedBefore);
      }
    }
  }

  private static String key(String topic, int partition) {
    return topic + "-" + partition;
  }
}
