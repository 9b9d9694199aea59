package org.p3ostream.streams.server;

/**
 * What the stream of steps grants its clients.
 *
 * @param maxClients clients at a time; further ones are answered 503
 * @param heartbeatMillis time between two heartbeat comments
 * @param stallMillis how long a client may take nothing of what it was sent before it is dropped
 */
record StreamLimits(int maxClients, long heartbeatMillis, long stallMillis) {
  StreamLimits {
    if (maxClients < 1 || heartbeatMillis < 1 || stallMillis < 1) {
      throw new IllegalArgumentException(
          "must be >= 1: maxClients %d, heartbeatMillis %d, stallMillis %d"
              .formatted(maxClients, heartbeatMillis, stallMillis));
    }
  }

  static StreamLimits defaults() {
    return new StreamLimits(32, 10_000, 20_000);
  }
}
