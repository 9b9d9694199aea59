package org.p3ostream.schemas.registry;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a schema registry that speaks the Confluent REST API.
 *
 * @param url base address, http or https, path included (Apicurio: {@code /apis/ccompat/v7});
 *     several addresses of one registry are separated by commas and tried in turn
 * @param username user of HTTP basic authentication; null for none
 * @param password password of that user
 * @param connectTimeout bound of one connection attempt
 * @param requestTimeout bound of one request, body included
 * @param retries further attempts after a failure that may pass
 * @param trustStorePath key store (PKCS12 or JKS) with the certificates to trust; null for the
 *     platform's
 * @param trustStorePassword password of the trust store; null for none
 */
public record RegistryConfig(
    String url,
    @Nullable String username,
    @Nullable String password,
    Duration connectTimeout,
    Duration requestTimeout,
    int retries,
    @Nullable String trustStorePath,
    @Nullable String trustStorePassword) {

  public RegistryConfig {
    parseUrls(url);
    require(
        username == null || !username.contains(":"),
        "username",
        username,
        "must not contain ':' (HTTP basic authentication)");
    require(
        (username == null) == (password == null),
        "username",
        username,
        "and registry.password must be set together");
    require(isPositive(connectTimeout), "connectTimeout", connectTimeout, "must be > 0");
    require(isPositive(requestTimeout), "requestTimeout", requestTimeout, "must be > 0");
    require(retries >= 0, "retries", retries, "must be >= 0");
    require(
        trustStorePassword == null || trustStorePath != null,
        "trustStorePath",
        trustStorePath,
        "must be set when registry.trustStorePassword is");
  }

  /** A registry on this host at Confluent's port, without authentication. */
  public static RegistryConfig defaults() {
    return new RegistryConfig(
        "http://127.0.0.1:8081",
        null,
        null,
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        5,
        null,
        null);
  }

  /** The same with every request tried once. */
  public RegistryConfig withoutRetries() {
    return new RegistryConfig(
        url,
        username,
        password,
        connectTimeout,
        requestTimeout,
        0,
        trustStorePath,
        trustStorePassword);
  }

  /** The same as client settings, under the keys that Confluent's serdes read. */
  public Map<String, String> settings() {
    return RegistrySettings.of(this);
  }

  /** Base addresses without trailing slash, at least one. */
  List<String> baseUrls() {
    return parseUrls(url);
  }

  /** Without secrets. */
  @Override
  public String toString() {
    return "RegistryConfig[url="
        + url
        + ", username="
        + username
        + ", password="
        + masked(password)
        + ", connectTimeout="
        + connectTimeout
        + ", requestTimeout="
        + requestTimeout
        + ", retries="
        + retries
        + ", trustStorePath="
        + trustStorePath
        + ", trustStorePassword="
        + masked(trustStorePassword)
        + "]";
  }

  private static List<String> parseUrls(String urls) {
    return Arrays.stream(urls.split(",", -1))
        .map(String::strip)
        .map(RegistryConfig::parse)
        .toList();
  }

  private static String parse(String address) {
    try {
      URI uri = new URI(address);
      // The value is left out where it holds a password.
      if (uri.getRawUserInfo() != null) {
        throw new IllegalArgumentException(
            "registry.url: must not hold credentials; set registry.username and"
                + " registry.password");
      }
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      require(isHttp && uri.getHost() != null, "url", address, "must be http://… or https://…");
      require(
          uri.getRawQuery() == null && uri.getRawFragment() == null,
          "url",
          address,
          "must have no query and no fragment");
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(
          "registry.url: '" + address + "' must be http://… or https://…", e);
    }
    return address.replaceFirst("/+$", "");
  }

  private static boolean isPositive(Duration duration) {
    return !duration.isNegative() && !duration.isZero();
  }

  private static @Nullable String masked(@Nullable String secret) {
    return secret == null ? null : "***";
  }

  private static void require(boolean holds, String key, @Nullable Object value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("registry." + key + ": '" + value + "' " + rule);
    }
  }
}
