package org.p3ostream.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.schemas.serde.RegistryUnavailableException;

class RegistryTlsTest {

  private static final String PASSWORD = "changeit";

  @TempDir private static Path directory;
  private static Path keyStore;
  private static RegistryServer server;

  @BeforeAll
  static void startServer() throws IOException, InterruptedException, GeneralSecurityException {
    keyStore = directory.resolve("registry.p12");
    makeKeyStore();
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(
        KeyStore.getInstance(keyStore.toFile(), PASSWORD.toCharArray()), PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    HttpsServer https =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    https.setHttpsConfigurator(new HttpsConfigurator(context));
    server = new RegistryServer(https, "https");
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Test
  void requestSucceedsWhenTheTrustStoreHoldsTheCertificate() {
    assertThat(client(keyStore.toString(), PASSWORD).subjects()).isEmpty();
  }

  @Test
  void requestFailsWhenTheCertificateIsNotTrusted() {
    assertThatThrownBy(() -> client(null, null).subjects())
        .isInstanceOf(RegistryUnavailableException.class)
        .hasRootCauseInstanceOf(GeneralSecurityException.class)
        .hasStackTraceContaining(SSLException.class.getPackageName());
  }

  @Test
  void clientIsNotBuiltWhenTheTrustStoreCannotBeRead() throws IOException {
    Path broken = Files.writeString(directory.resolve("broken.p12"), "no key store");

    for (String path : new String[] {broken.toString(), directory.resolve("none").toString()}) {
      assertThatThrownBy(() -> client(path, PASSWORD))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("registry.trustStorePath")
          .hasMessageContaining(path);
    }
    assertThatThrownBy(() -> client(keyStore.toString(), "wrong"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageNotContaining("wrong");
  }

  private static SchemaRegistryClient client(String trustStorePath, String trustStorePassword) {
    return new SchemaRegistryClient(
        new RegistryConfig(
            server.url(),
            null,
            null,
            Duration.ofSeconds(5),
            Duration.ofSeconds(20),
            0,
            trustStorePath,
            trustStorePassword));
  }

  private static void makeKeyStore() throws IOException, InterruptedException {
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "registry",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "SAN=IP:127.0.0.1",
                "-validity",
                "1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                keyStore.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
  }
}
