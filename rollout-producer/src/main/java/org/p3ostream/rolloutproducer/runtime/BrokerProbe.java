package org.p3ostream.rolloutproducer.runtime;

import java.time.Clock;
import java.time.Duration;
import org.apache.kafka.common.errors.TimeoutException;
import org.p3ostream.rolloutproducer.snapshot.SnapshotLog;

/**
 * Asks the broker something every few seconds: to a producer that has nothing to publish, a broker
 * that is away looks like one that has nothing new.
 */
final class BrokerProbe {
  static final long PERIOD_MS = 5_000;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(3);

  private final SnapshotLog snapshots;
  private final Outage broker;
  private final Clock clock;
  private long notBeforeMs;

  BrokerProbe(SnapshotLog snapshots, Outage broker, Clock clock) {
    this.snapshots = snapshots;
    this.broker = broker;
    this.clock = clock;
    this.notBeforeMs = clock.millis() + PERIOD_MS;
  }

  /**
   * Asks, unless that was done a moment ago.
   *
   * @throws TimeoutException if the broker gives no answer
   */
  void probeIfDue() {
    if (clock.millis() >= notBeforeMs) {
      notBeforeMs = clock.millis() + PERIOD_MS;
      snapshots.probe(LONGEST_WAIT);
      broker.recovered();
    }
  }
}
