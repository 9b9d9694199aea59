package org.p3ostream.rolloutproducer.runtime;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Goes on by the same step at every look, and when told to. */
final class SteppingClock extends Clock {
  private final long stepMs;
  private long nowMs;

  SteppingClock(long stepMs) {
    this.stepMs = stepMs;
  }

  void advance(long ms) {
    nowMs += ms;
  }

  @Override
  public Instant instant() {
    nowMs += stepMs;
    return Instant.ofEpochMilli(nowMs);
  }

  @Override
  public ZoneId getZone() {
    return ZoneOffset.UTC;
  }

  @Override
  public Clock withZone(ZoneId zone) {
    return this;
  }
}
