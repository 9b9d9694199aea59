package org.p3ostream.rolloutproducer.runtime;

import java.util.Locale;

/** Writes what was done since the last line, in words for the log. */
final class StatusLine {

  private final long everyMs;
  private long lastMs;
  private long lastGroups;
  private long lastTokens;

  StatusLine(long everyMs, long nowMs) {
    this.everyMs = everyMs;
    this.lastMs = nowMs;
  }

  boolean isDue(long nowMs) {
    return nowMs - lastMs >= everyMs;
  }

  String write(ProducerStatus status, long nowMs) {
    double seconds = Math.max(1, nowMs - lastMs) / 1000.0;
    String line =
        String.format(
            Locale.ROOT,
            "%d groups (%d new, %d failed), %.0f tokens/s, policy version %d, %s",
            status.groupsPublished(),
            status.groupsPublished() - lastGroups,
            status.groupsFailed(),
            (status.tokensPublished() - lastTokens) / seconds,
            status.policyVersion(),
            status.waitingFor().isEmpty() ? "sampling" : "waiting for " + status.waitingFor());
    lastMs = nowMs;
    lastGroups = status.groupsPublished();
    lastTokens = status.tokensPublished();
    return line;
  }
}
