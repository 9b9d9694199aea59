package org.p3ostream.streams.server;

import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.RunOrigin;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.live.StepView;

/**
 * The events of {@code /api/stream} as text. Every event has a name and one line of JSON; steps
 * have their index as id.
 *
 * <p>Source: HTML Living Standard, 9.2 Server-sent events.
 */
final class ServerSentEvent {
  /** A comment: keeps the connection in use, and lets either side notice that it is broken. */
  static final String HEARTBEAT = ": heartbeat\n\n";

  private ServerSentEvent() {}

  /**
   * The run and what is held of it. A client that kept steps of another {@code startedAt} forgets
   * them.
   */
  private record Run(
      String runId,
      @Nullable Long startedAt,
      @Nullable Long scheduleSteps,
      long policyVersion,
      long oldestStep,
      long newestStep) {}

  /** Steps that the client asked for and cannot have. */
  private record Gap(long from, long to, String reason) {}

  /** First event of a stream, and once more when GENESIS has been read. */
  static String run(StepLog log) {
    RunOrigin origin = log.origin();
    return event(
        "run",
        new Run(
            log.runId(),
            origin == null ? null : origin.startedAt(),
            origin == null ? null : origin.scheduleSteps(),
            log.policyVersion(),
            log.oldestStep(),
            log.newestStep()));
  }

  /** A step. */
  static String step(StepView step) {
    return "id: " + step.step() + "\n" + event("step", step);
  }

  /** Steps {@code from} to {@code to}, both included, are left out. */
  static String gap(long from, long to) {
    return event("gap", new Gap(from, to, "no longer held here; the ledger has them"));
  }

  private static String event(String name, Object data) {
    return "event: " + name + "\ndata: " + Json.text(data) + "\n\n";
  }
}
