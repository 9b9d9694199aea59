package org.p3ostream.streams.config;

import org.jspecify.annotations.Nullable;

/**
 * How the metrics service runs.
 *
 * @param host address the HTTP server binds to; one that is not loopback requires {@code token} or
 *     {@code tlsClientCaPath}
 * @param port port of the HTTP server; 0 takes a free one
 * @param stateDirectory where Kafka Streams keeps its lock and checkpoints; not the temporary
 *     directory of the system
 * @param applicationId Kafka Streams application id, also prefix of its internal topics; null takes
 *     the topic prefix followed by {@code metrics-v2}
 * @param replicationFactor replication factor of the internal topics
 * @param clientTimeoutSeconds how long the broker (at start) or the registry (at any time) may stay
 *     away before the service ends with an error
 * @param token what a client has to know: {@code Authorization: Bearer}, or typed once in a
 *     browser; null asks for none
 * @param tlsCertificatePath PEM file with the certificate chain of the server; null serves plain
 *     HTTP
 * @param tlsKeyPath PEM file with its private key
 * @param tlsClientCaPath PEM file with the authorities whose client certificates are accepted; null
 *     asks for none
 * @param publishMetrics whether points are written to {@code metrics}; without, as for a second
 *     pass over the log under another application id, the service only reads
 */
public record StreamsConfig(
    String host,
    int port,
    String stateDirectory,
    @Nullable String applicationId,
    int replicationFactor,
    int clientTimeoutSeconds,
    @Nullable String token,
    @Nullable String tlsCertificatePath,
    @Nullable String tlsKeyPath,
    @Nullable String tlsClientCaPath,
    boolean publishMetrics) {

  /** Fewest characters of a token: what is shorter can be guessed. */
  static final int SHORTEST_TOKEN = 16;

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
    require(
        token == null || token.matches("[!-~]{" + SHORTEST_TOKEN + ",}"),
        "token",
        token == null ? "" : "(" + token.length() + " characters)",
        "must be at least " + SHORTEST_TOKEN + " printable ASCII characters without spaces");
    require(
        (tlsCertificatePath == null) == (tlsKeyPath == null),
        tlsKeyPath == null ? "tlsKeyPath" : "tlsCertificatePath",
        "",
        "must be set: streams.tlsCertificatePath and streams.tlsKeyPath belong together");
    require(
        tlsClientCaPath == null || tlsCertificatePath != null,
        "tlsClientCaPath",
        String.valueOf(tlsClientCaPath),
        "requires streams.tlsCertificatePath and streams.tlsKeyPath");
    require(
        LoopbackAddress.is(host) || token != null || tlsClientCaPath != null,
        "host",
        host,
        "is not a loopback address: set streams.token, or streams.tlsClientCaPath to ask for client"
            + " certificates, or bind 127.0.0.1");
  }

  /** A service that everybody on this host may ask. */
  public StreamsConfig(
      String host,
      int port,
      String stateDirectory,
      @Nullable String applicationId,
      int replicationFactor,
      int clientTimeoutSeconds) {
    this(
        host,
        port,
        stateDirectory,
        applicationId,
        replicationFactor,
        clientTimeoutSeconds,
        null,
        null,
        null,
        null);
  }

  /** A service that publishes. */
  public StreamsConfig(
      String host,
      int port,
      String stateDirectory,
      @Nullable String applicationId,
      int replicationFactor,
      int clientTimeoutSeconds,
      @Nullable String token,
      @Nullable String tlsCertificatePath,
      @Nullable String tlsKeyPath,
      @Nullable String tlsClientCaPath) {
    this(
        host,
        port,
        stateDirectory,
        applicationId,
        replicationFactor,
        clientTimeoutSeconds,
        token,
        tlsCertificatePath,
        tlsKeyPath,
        tlsClientCaPath,
        true);
  }

  public static StreamsConfig defaults() {
    return new StreamsConfig("127.0.0.1", 8089, "streams-state", null, 1, 60);
  }

  /** Everything but the token. */
  @Override
  public String toString() {
    return "StreamsConfig[%s:%d]".formatted(host, port);
  }

  private static void require(boolean holds, String key, Object value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("streams." + key + ": '" + value + "' " + rule);
    }
  }
}
