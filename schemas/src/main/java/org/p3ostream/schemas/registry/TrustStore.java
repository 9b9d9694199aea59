package org.p3ostream.schemas.registry;

import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** A TLS context that trusts the certificates of one key store file. */
final class TrustStore {

  private TrustStore() {}

  /**
   * @throws IllegalArgumentException naming the file, if it cannot be read as a key store
   */
  static SSLContext sslContext(String path, @Nullable String password) {
    try {
      KeyStore certificates =
          KeyStore.getInstance(new File(path), password == null ? null : password.toCharArray());
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(certificates);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "registry.trustStorePath: '" + path + "' cannot be read as a key store: " + e, e);
    }
  }
}
