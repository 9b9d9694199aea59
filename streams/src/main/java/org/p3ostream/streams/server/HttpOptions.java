package org.p3ostream.streams.server;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.config.StreamsConfig;

/**
 * HTTP/1.1, plain or over TLS with the files of the configuration. Connections on which nothing
 * goes either way are closed: whoever has not signed in cannot hold all there are.
 */
final class HttpOptions {
  /** Longer than the pause between two heartbeats of a stream. */
  private static final int IDLE_SECONDS = 60;

  private HttpOptions() {}

  static HttpServerOptions of(StreamsConfig config) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHttp2ClearTextEnabled(false)
            .setUseAlpn(false)
            .setIdleTimeout(IDLE_SECONDS);
    if (config.tlsCertificatePath() == null) {
      return options;
    }
    options
        .setSsl(true)
        .setKeyCertOptions(
            new PemKeyCertOptions()
                .addCertValue(read("tlsCertificatePath", config.tlsCertificatePath()))
                .addKeyValue(read("tlsKeyPath", config.tlsKeyPath())));
    if (config.tlsClientCaPath() != null) {
      options
          .setClientAuth(ClientAuth.REQUIRED)
          .setTrustOptions(
              new PemTrustOptions()
                  .addCertValue(read("tlsClientCaPath", config.tlsClientCaPath())));
    }
    return options;
  }

  private static Buffer read(String key, @Nullable String path) {
    try {
      return Buffer.buffer(Files.readAllBytes(Path.of(String.valueOf(path))));
    } catch (IOException e) {
      throw new IllegalStateException(
          "streams." + key + ": '" + path + "' must be a readable PEM file: " + e, e);
    }
  }
}
