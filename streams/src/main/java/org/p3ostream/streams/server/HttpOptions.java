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

/** Plain HTTP, or TLS with the files of the configuration. */
final class HttpOptions {
  private HttpOptions() {}

  static HttpServerOptions of(StreamsConfig config) {
    HttpServerOptions options = new HttpServerOptions();
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
