package org.p3ostream.streams.topology;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log which windows were settled although a record of theirs was not there. One line
 * where a row of such windows begins and one where it ends: whoever begins to read after the
 * records were trimmed lacks those of every old window.
 */
final class LackingWindows {
  private static final Logger log = LoggerFactory.getLogger(LackingWindows.class);

  private long inARow;

  /**
   * A window is settled, after the one before.
   *
   * @param records of its groups, in the order of the event; null for one that could not be had
   */
  void settled(
      LedgerFact event, List<@Nullable RolloutFact> records, OutstandingRollouts outstanding) {
    int missing = records.indexOf(null);
    if (missing >= 0) {
      if (inARow == 0) {
        LedgerFact.TrainedGroup group = event.trained().get(missing);
        log.warn(
            "Step {} gets no reward and no figures by task: the record of group {}, rollouts {}@{}, {}",
            event.step(),
            group.groupId(),
            group.at().partition(),
            group.at().recordOffset(),
            outstanding.absence(group.at()));
      }
      inARow++;
      return;
    }
    if (inARow > 1) {
      log.warn(
          "{} steps in a row got no reward and no figures by task; step {} has them again",
          inARow,
          event.step());
    }
    inARow = 0;
  }
}
