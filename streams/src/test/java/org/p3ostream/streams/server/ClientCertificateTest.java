package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.streams.config.StreamsConfig;
import org.p3ostream.streams.live.StepLogs;

/** TLS with certificates that the JDK's own tool makes. */
class ClientCertificateTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path directory;

  @Test
  void onlyAClientWithAKnownCertificateIsAnsweredAnywhere() throws Exception {
    KeyStore ofServer = certificate("server");
    KeyStore ofClient = certificate("client");
    KeyStore ofStranger = certificate("stranger");
    StreamsConfig config =
        config(pem("server", "CERTIFICATE", ofServer), pem("client", "CERTIFICATE", ofClient));
    try (MetricsServer server = serve(config)) {
      assertThat(get(server, ofServer, ofClient).statusCode()).isEqualTo(200);
      assertThatThrownBy(() -> get(server, ofServer, ofStranger)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> get(server, ofServer, null)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void aFileThatIsNotThereIsNamed() throws Exception {
    String missing = directory.resolve("missing.pem").toString();

    assertThatThrownBy(() -> serve(config(missing, missing)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("streams.tlsCertificatePath: '" + missing + "'");
  }

  private StreamsConfig config(String certificate, String clientCa) {
    return new StreamsConfig(
        "0.0.0.0",
        0,
        "state",
        null,
        1,
        1,
        null,
        certificate,
        directory.resolve("server.key").toString(),
        clientCa);
  }

  private static MetricsServer serve(StreamsConfig config) {
    return new MetricsServer(
        config,
        new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
        Fixture.of(StepLogs.ofSteps(1)),
        new Health(Map.of(), Map.of()));
  }

  private static HttpResponse<String> get(
      MetricsServer server, KeyStore trusted, @org.jspecify.annotations.Nullable KeyStore own)
      throws Exception {
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    KeyStore authorities = KeyStore.getInstance("PKCS12");
    authorities.load(null, null);
    authorities.setCertificateEntry("server", trusted.getCertificate("p3o"));
    trust.init(authorities);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, PASSWORD);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(own == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
    return HttpClient.newBuilder()
        .sslContext(context)
        .version(HttpClient.Version.HTTP_1_1)
        .build()
        .send(
            HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.port() + "/api/runs"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private KeyStore certificate(String name) throws Exception {
    Path file = directory.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "p3o",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                new String(PASSWORD))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("keytool.log").toFile())
            .start();
    assertThat(keytool.waitFor()).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream stream = Files.newInputStream(file)) {
      store.load(stream, PASSWORD);
    }
    write(name + ".key", "PRIVATE KEY", store.getKey("p3o", PASSWORD).getEncoded());
    return store;
  }

  private String pem(String name, String kind, KeyStore store) throws Exception {
    return write(name + ".pem", kind, store.getCertificate("p3o").getEncoded());
  }

  private String write(String name, String kind, byte[] encoded) throws IOException {
    String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded);
    return Files.writeString(
            directory.resolve(name),
            "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n")
        .toString();
  }
}
