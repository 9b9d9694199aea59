package org.p3ostream.learner.runtime;

import java.time.Clock;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.WindowConfig;
import org.p3ostream.learner.dispatch.DispatchDeadlines;
import org.p3ostream.learner.dispatch.TopUps;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.window.HoldBack;
import org.p3ostream.learner.window.Intake;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes rollouts in until the next window is complete, of groups that are not too stale, and need
 * not be held back. What is rejected or does not come is dispatched again on the way, or given up,
 * by INTERIM events.
 *
 * <p>No window is handed out while a replacement is due: the event of the window would record the
 * rejection without the replacement, and a learner that was restarted would know of neither.
 */
final class WindowCollector {
  private static final Logger LOG = LoggerFactory.getLogger(WindowCollector.class);

  private static final long WAIT_NOTICE_MS = 10_000;

  /** How long the broker may be away before the learner ends; a restart continues. */
  private static final long OUTAGE_DEADLINE_MS = 120_000;

  private final DispatchConfig dispatch;
  private final WindowConfig window;
  private final HoldBack holdBack;
  private final LedgerState ledger;
  private final Intake intake;
  private final RolloutSource source;
  private final LedgerWriter writer;
  private final Clock clock;
  private final TopUps topUps;
  private final DispatchDeadlines deadlines;
  private final BrokerSilence silence;

  WindowCollector(
      DispatchConfig dispatch,
      WindowConfig window,
      HoldBack holdBack,
      LedgerState ledger,
      Intake intake,
      RolloutSource source,
      LedgerWriter writer,
      Clock clock) {
    this.dispatch = dispatch;
    this.window = window;
    this.holdBack = holdBack;
    this.ledger = ledger;
    this.intake = intake;
    this.source = source;
    this.writer = writer;
    this.clock = clock;
    this.topUps = new TopUps(window.maxTopUps());
    this.deadlines = new DispatchDeadlines(dispatch.timeoutSeconds() * 1000L);
    this.silence = new BrokerSilence(OUTAGE_DEADLINE_MS, clock.millis());
  }

  /** The next window once it may be trained; null if asked to stop first. */
  @Nullable CollectedWindow next(BooleanSupplier stopping) {
    long index = ledger.nextWindow();
    long start = System.nanoTime();
    long heldSince = 0;
    boolean held = false;
    long lastNotice = clock.millis();
    silence.answered(clock.millis()); // what came before was committed
    deadlines.observe(ledger.dispatched(), clock.millis());
    source.drainInto(intake, ledger.policyVersion());
    rejectStale(index);
    while (!holdBack.isDue(index, intake)) {
      if (stopping.getAsBoolean()) {
        return null;
      }
      if (!held && intake.isComplete(index)) {
        held = true;
        heldSince = System.nanoTime();
      }
      if (!intake.replacementDue()) {
        source.pollInto(intake, ledger.policyVersion());
        rejectStale(index);
      }
      List<Long> lost = lost();
      if (intake.replacementDue() || !lost.isEmpty() || intake.isFull()) {
        interim(lost);
      }
      if (clock.millis() - lastNotice > WAIT_NOTICE_MS) {
        lastNotice = clock.millis();
        tellWait(index);
        requireBroker();
      }
    }
    if (stopping.getAsBoolean()) { // also where a window is always due
      return null;
    }
    if (intake.replacementDue()) {
      interim(List.of());
    }
    writer.timer().waited(start);
    double holdBackSeconds = held ? (System.nanoTime() - heldSince) / 1e9 : 0;
    int lagWindows = intake.completeWindowsAfter(index);
    return new CollectedWindow(intake.take(index), lagWindows, holdBackSeconds);
  }

  private void tellWait(long index) {
    if (intake.isComplete(index)) {
      LOG.info(
          "holding window {} back: {} of the {} windows behind it are here",
          index,
          holdBack.completeInARow(index, intake),
          holdBack.windowsAhead(index));
    } else {
      LOG.info(
          "waiting for window {}: {} of {} groups are here",
          index,
          intake.admittedGroups(index),
          dispatch.groupsPerWindow());
    }
  }

  /** Not of windows that are not next yet: another version may be in force then. */
  private void rejectStale(long index) {
    Integer maxStaleness = window.maxStaleness();
    if (maxStaleness != null) {
      intake.rejectStale(index, ledger.policyVersion(), maxStaleness);
    }
  }

  /** Groups whose time is over and which are not among the records that wait to be read. */
  private List<Long> lost() {
    List<Long> overdue =
        deadlines.expired(clock.millis()).stream().filter(intake::isAwaited).toList();
    return overdue.isEmpty() || !source.hasCaughtUp() ? List.of() : overdue;
  }

  private void interim(List<Long> lost) {
    long versionInForce = dispatch.askedVersion(ledger.policyVersion());
    TopUps.Plan plan =
        topUps.plan(
            ledger.dispatched(),
            intake.drainReplacements(),
            new TopUps.Stale(intake.drainStale(), versionInForce),
            lost);
    writer.interim(plan);
    deadlines.observe(ledger.dispatched(), clock.millis());
    silence.answered(clock.millis());
    if (!lost.isEmpty()) {
      LOG.warn("groups {} have not come in time: dispatched again or given up", lost);
    }
    if (!plan.givenUp().isEmpty()) {
      LOG.warn(
          "groups {} are given up after {} further dispatches each, their windows will be trained"
              + " without them; last rejection: {}",
          plan.givenUp(),
          topUps.maxTopUps(),
          writer.lastRejection());
    }
  }

  private void requireBroker() {
    try {
      source.probe();
      silence.answered(clock.millis());
    } catch (TimeoutException e) {
      LOG.warn(
          "the broker has not answered for {} s", silence.unanswered(clock.millis(), e) / 1000);
    }
  }
}
