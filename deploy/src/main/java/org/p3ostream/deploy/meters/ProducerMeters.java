package org.p3ostream.deploy.meters;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.p3ostream.rolloutproducer.runtime.ProducerObserver;
import org.p3ostream.rolloutproducer.runtime.ProducerStatus;

/** Meters of a rollout producer. */
public final class ProducerMeters implements ProducerObserver {

  private final Timer sampling;
  private final Timer publishing;

  /**
   * @param status what the producer has done so far; asked for when the meters are
   */
  public ProducerMeters(MeterRegistry registry, Supplier<ProducerStatus> status) {
    sampling = ProcessMeter.PRODUCER_SAMPLING.timer(registry);
    publishing = ProcessMeter.PRODUCER_PUBLISHING.timer(registry);
    ProcessMeter.PRODUCER_GROUPS.count(registry, status, s -> s.get().groupsPublished());
    ProcessMeter.PRODUCER_RESPONSES.count(registry, status, s -> s.get().responsesPublished());
    ProcessMeter.PRODUCER_TOKENS.count(registry, status, s -> s.get().tokensPublished());
    ProcessMeter.PRODUCER_FAILED_GROUPS.count(registry, status, s -> s.get().groupsFailed());
    ProcessMeter.PRODUCER_DROPPED_GROUPS.count(registry, status, s -> s.get().groupsDropped());
    ProcessMeter.PRODUCER_RETRIED_TRANSACTIONS.count(
        registry, status, s -> s.get().transactionsAborted());
    ProcessMeter.PRODUCER_SKIPPED_PROMPTS.count(registry, status, s -> s.get().promptsSkipped());
    ProcessMeter snapshots = ProcessMeter.PRODUCER_SNAPSHOTS;
    snapshots.count(registry, "loaded", status, s -> s.get().snapshotsLoaded());
    snapshots.count(registry, "corrupt", status, s -> s.get().snapshotsCorrupt());
    snapshots.count(registry, "refused", status, s -> s.get().snapshotsRefused());
    ProcessMeter.PRODUCER_POLICY_VERSION.gauge(
        registry, status, s -> version(s.get().policyVersion()));
  }

  @Override
  public void sampled(double millis) {
    record(sampling, millis);
  }

  @Override
  public void published(double millis) {
    record(publishing, millis);
  }

  private static void record(Timer timer, double millis) {
    timer.record((long) (millis * 1e6), TimeUnit.NANOSECONDS);
  }

  private static double version(long policyVersion) {
    return policyVersion < 0 ? Double.NaN : policyVersion;
  }
}
