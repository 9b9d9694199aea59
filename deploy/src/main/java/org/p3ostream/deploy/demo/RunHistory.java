package org.p3ostream.deploy.demo;

import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.deploy.report.StepSeries;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * What has been seen of a run; it stays when the run ends early.
 *
 * @param statistics its figures
 * @param series its steps
 */
record RunHistory(RunStatistics statistics, StepSeries series) {

  RunHistory() {
    this(new RunStatistics(), new StepSeries());
  }

  /** Takes the next event of the ledger. */
  void add(StepEvent event) {
    statistics.add(event);
    series.add(event);
  }
}
