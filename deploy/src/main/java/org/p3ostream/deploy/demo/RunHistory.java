package org.p3ostream.deploy.demo;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.deploy.report.StepSeries;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * What has been seen of a run; it stays when the run ends early.
 *
 * @param statistics its figures
 * @param series its steps
 */
record RunHistory(RunStatistics statistics, StepSeries series) {

  private static final Duration POLL = Duration.ofMillis(100);

  RunHistory() {
    this(new RunStatistics(), new StepSeries());
  }

  /**
   * What there is of a run in the log.
   *
   * @param clients of a stack that is ready
   */
  static RunHistory read(RoleClients clients, TopicCatalogue topics)
      throws InterruptedException, ExecutionException {
    RunHistory history = new RunHistory();
    if (clients.admin().listTopics().names().get().contains(topics.steps().name())) {
      LogFollower ledger = new LogFollower(clients.reader(), clients.codec(), topics.steps());
      do {
        history.add(ledger.poll(POLL));
      } while (!ledger.isAtEnd());
    }
    return history;
  }

  /** Takes the next records of the ledger. */
  void add(List<SpecificRecord> records) {
    for (SpecificRecord record : records) {
      if (record instanceof StepEvent event) {
        add(event);
      }
    }
  }

  /** Takes the next event of the ledger. */
  void add(StepEvent event) {
    statistics.add(event);
    series.add(event);
  }
}
