package org.p3ostream.streams.server;

/**
 * What the stream of steps grants its clients.
 *
 * @param maxClients clients at a time; further ones are answered 503
 * @param heartbeatMillis time between two heartbeat comments
 * @param stallMillis how long a client may take nothing of what it was sent before it is dropped
 * @param intervalMillis least time between two looks for new steps: those that come within it are
 *     sent together, to all, so that fast runs cost no more than what a person can see
 */
record StreamLimits(int maxClients, long heartbeatMillis, long stallMillis, long intervalMillis) {
  StreamLimits {
    if (maxClients < 1 || heartbeatMillis < 1 || stallMillis < 1 || intervalMillis < 1) {
      throw new IllegalArgumentException(
          "must be >= 1: maxClients %d, heartbeatMillis %d, stallMillis %d, intervalMillis %d"
              .formatted(maxClients, heartbeatMillis, stallMillis, intervalMillis));
    }
  }

  static StreamLimits defaults() {
    return new StreamLimits(32, 10_000, 20_000, 200);
  }
}
