package org.p3ostream.learner.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.p3ostream.learner.ledger.LedgerException;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.learner.window.RolloutCoordinate;
import org.p3ostream.learner.window.TrainingGroup;
import org.p3ostream.learner.window.Window;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.WindowEntry;

/**
 * Windows that were trained before, read again from the log in one pass: records of later windows
 * that lie among those of earlier ones are kept until their turn.
 */
final class WindowReplay {
  private final RolloutSource source;
  private final Set<RolloutCoordinate> wanted = new HashSet<>();
  private final Map<RolloutCoordinate, RolloutGroup> found = new HashMap<>();

  /**
   * Goes back to the first record of the given steps.
   *
   * @param steps STEP events in order
   */
  WindowReplay(List<StepEvent> steps, RolloutSource source) {
    this.source = source;
    Map<Integer, Long> firstOffsets = new HashMap<>();
    for (StepEvent step : steps) {
      for (WindowEntry entry : step.getWindow()) {
        wanted.add(coordinate(entry));
        firstOffsets.merge(entry.getPartition(), entry.getRecordOffset(), Math::min);
      }
    }
    source.rewind(firstOffsets);
  }

  /**
   * The window of the next step.
   *
   * @param contract what the groups were checked against
   * @throws LedgerException if a record is gone, is not the group that the ledger names, or breaks
   *     the contract
   */
  Window next(StepEvent step, RolloutContract contract) {
    Set<RolloutCoordinate> missing = new HashSet<>();
    step.getWindow().forEach(entry -> missing.add(coordinate(entry)));
    missing.removeAll(found.keySet());
    while (!missing.isEmpty()) {
      source.read(wanted, found);
      if (missing.removeAll(found.keySet()) || !source.atEnd()) {
        continue;
      }
      throw new LedgerException("the ledger was trained on records that are gone: " + missing);
    }
    List<TrainingGroup> groups = new ArrayList<>();
    for (WindowEntry entry : step.getWindow()) {
      groups.add(group(step, entry, contract));
    }
    return new Window(step.getStep(), groups);
  }

  private TrainingGroup group(StepEvent step, WindowEntry entry, RolloutContract contract) {
    RolloutCoordinate coordinate = coordinate(entry);
    wanted.remove(coordinate);
    RolloutGroup record = found.remove(coordinate);
    if (record == null || record.getGroupId() != entry.getGroupId()) {
      throw new LedgerException(
          coordinate + " does not hold group " + entry.getGroupId() + " of the ledger");
    }
    RolloutContract.Verdict verdict =
        contract.check(record, coordinate, step.getPolicyVersionBefore(), 0, false);
    if (verdict instanceof RolloutContract.Kept kept) {
      return kept.group();
    }
    throw new LedgerException(coordinate + " was trained but breaks the contract: " + verdict);
  }

  private static RolloutCoordinate coordinate(WindowEntry entry) {
    return new RolloutCoordinate(entry.getPartition(), entry.getRecordOffset());
  }
}
