package org.p3ostream.streams.config;

import org.jspecify.annotations.Nullable;

/**
 * How the metrics service runs.
 *
 * @param host address the HTTP server binds to; nothing it serves is protected, so loopback unless
 *     a trusted network lies in front
 * @param port port of the HTTP server; 0 takes a free one
 * @param stateDirectory where Kafka Streams keeps its lock and checkpoints; not the temporary
 *     directory of the system
 * @param applicationId Kafka Streams application id, also prefix of its internal topics; null takes
 *     the topic prefix followed by {@code metrics-v2}
 * @param replicationFactor replication factor of the internal topics
 * @param clientTimeoutSeconds how long the broker (at start) or the registry (at any time) may stay
 *     away before the service ends with an error
 */
public record StreamsConfig(
    String host,
    int port,
    String stateDirectory,
    @Nullable String applicationId,
    int replicationFactor,
    int clientTimeoutSeconds) {
  public StreamsConfig {
    require(!host.isBlank(), "host", host, "must not be blank");
    require(port >= 0 && port <= 65535, "port", port, "must be in [0, 65535]");
    require(!stateDirectory.isBlank(), "stateDirectory", stateDirectory, "must not be blank");
    require(
        applicationId == null || applicationId.matches("[A-Za-z0-9._-]{1,150}"),
        "applicationId",
        String.valueOf(applicationId),
        "may hold only 1 to 150 letters, digits, '.', '_' and '-'");
    require(
        replicationFactor >= 1 && replicationFactor <= Short.MAX_VALUE,
        "replicationFactor",
        replicationFactor,
        "must be in [1, 32767]");
    require(
        clientTimeoutSeconds >= 1, "clientTimeoutSeconds", clientTimeoutSeconds, "must be >= 1");
  }

  public static StreamsConfig defaults() {
    return new StreamsConfig("127.0.0.1", 8089, "streams-state", null, 1, 60);
  }

  private static void require(boolean holds, String key, Object value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("streams." + key + ": '" + value + "' " + rule);
    }
  }
}
