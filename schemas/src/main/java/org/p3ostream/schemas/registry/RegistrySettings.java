package org.p3ostream.schemas.registry;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.types.Password;
import org.jspecify.annotations.Nullable;

/**
 * {@link RegistryConfig} as Kafka client settings and back. Address, authentication and trust store
 * have the keys that Confluent's serdes read.
 */
final class RegistrySettings {

  private static final String URL = "schema.registry.url";
  private static final String AUTH_SOURCE = "basic.auth.credentials.source";
  private static final String USER_INFO = "basic.auth.user.info";
  private static final String OLD_USER_INFO = "schema.registry.basic.auth.user.info";
  private static final String TRUST_STORE = "schema.registry.ssl.truststore.location";
  private static final String TRUST_STORE_PASSWORD = "schema.registry.ssl.truststore.password";
  private static final String CONNECT_TIMEOUT = "http.connect.timeout.ms";
  private static final String REQUEST_TIMEOUT = "http.read.timeout.ms";
  private static final String RETRIES = "max.retries";
  private static final String AUTO_REGISTER = "auto.register.schemas";
  private static final String SUBJECT_STRATEGY = "value.subject.name.strategy";

  private RegistrySettings() {}

  static Map<String, String> of(RegistryConfig config) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put(URL, config.url());
    if (config.username() != null) {
      settings.put(AUTH_SOURCE, "USER_INFO");
      settings.put(USER_INFO, config.username() + ":" + config.password());
    }
    if (config.trustStorePath() != null) {
      settings.put(TRUST_STORE, config.trustStorePath());
    }
    if (config.trustStorePassword() != null) {
      settings.put(TRUST_STORE_PASSWORD, config.trustStorePassword());
    }
    settings.put(CONNECT_TIMEOUT, Long.toString(config.connectTimeout().toMillis()));
    settings.put(REQUEST_TIMEOUT, Long.toString(config.requestTimeout().toMillis()));
    settings.put(RETRIES, Integer.toString(config.retries()));
    return settings;
  }

  static RegistryConfig parse(Map<String, ?> settings) {
    RegistryConfig defaults = RegistryConfig.defaults();
    String url = text(settings, URL);
    if (url == null) {
      throw new ConfigException(URL + " is not set");
    }
    String[] userInfo = userInfo(settings);
    String retries = text(settings, RETRIES);
    try {
      return new RegistryConfig(
          url,
          userInfo == null ? null : userInfo[0],
          userInfo == null ? null : userInfo[1],
          millis(settings, CONNECT_TIMEOUT, defaults.connectTimeout()),
          millis(settings, REQUEST_TIMEOUT, defaults.requestTimeout()),
          retries == null ? defaults.retries() : Integer.parseInt(retries),
          text(settings, TRUST_STORE),
          text(settings, TRUST_STORE_PASSWORD));
    } catch (NumberFormatException e) {
      throw new ConfigException(
          CONNECT_TIMEOUT
              + ", "
              + REQUEST_TIMEOUT
              + " and "
              + RETRIES
              + " must be whole numbers: "
              + e.getMessage());
    } catch (IllegalArgumentException e) {
      throw new ConfigException("schema registry: " + e.getMessage());
    }
  }

  /** Whether the serializer may register schemas; else it only looks them up. */
  static boolean registersSchemas(Map<String, ?> settings) {
    String value = text(settings, AUTO_REGISTER);
    return value == null || Boolean.parseBoolean(value);
  }

  /** Refuses a subject name strategy that would be ignored. */
  static void checkSubjectStrategy(Map<String, ?> settings) {
    String strategy = text(settings, SUBJECT_STRATEGY);
    if (strategy != null && !strategy.endsWith(".RecordNameStrategy")) {
      throw new ConfigException(
          SUBJECT_STRATEGY, strategy, "only RecordNameStrategy is supported: one subject a type");
    }
  }

  private static String @Nullable [] userInfo(Map<String, ?> settings) {
    String source = text(settings, AUTH_SOURCE);
    if (source == null || source.equals("URL")) {
      return null; // an address with credentials is refused by RegistryConfig
    }
    if (!source.equals("USER_INFO")) {
      throw new ConfigException(AUTH_SOURCE, source, "only USER_INFO is supported");
    }
    String userInfo = text(settings, USER_INFO);
    if (userInfo == null) {
      userInfo = text(settings, OLD_USER_INFO);
    }
    if (userInfo == null || userInfo.indexOf(':') < 1) {
      throw new ConfigException(USER_INFO + " must be user:password");
    }
    return userInfo.split(":", 2);
  }

  private static Duration millis(Map<String, ?> settings, String key, Duration otherwise) {
    String value = text(settings, key);
    return value == null ? otherwise : Duration.ofMillis(Long.parseLong(value));
  }

  private static @Nullable String text(Map<String, ?> settings, String key) {
    Object value = settings.get(key);
    if (value == null) {
      return null;
    }
    if (value instanceof Password secret) {
      return secret.value();
    }
    if (value instanceof Class<?> type) {
      return type.getName();
    }
    if (value instanceof Iterable<?> parts) { // Kafka's parsed form of a list
      StringBuilder joined = new StringBuilder();
      parts.forEach(part -> joined.append(joined.isEmpty() ? "" : ",").append(part));
      return joined.toString();
    }
    String text = value.toString().strip();
    return text.isEmpty() ? null : text;
  }
}
