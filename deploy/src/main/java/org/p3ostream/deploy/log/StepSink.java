package org.p3ostream.deploy.log;

import org.p3ostream.schemas.avro.StepEvent;

/** Shows events of the ledger: as a table for people or as JSON for scripts. */
sealed interface StepSink permits StepTable, StepJson {

  /** Shows one event. */
  void show(LogEntry entry, StepEvent event);
}
