package org.p3ostream.deploy.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.jspecify.annotations.Nullable;

/** What must not be printed: passwords by Kafka's own types, and whatever is named like one. */
public final class Secrets {

  /** Shown instead of a secret. */
  static final String MASK = "********";

  private static final Pattern NAMED_LIKE_A_SECRET =
      Pattern.compile(
          "(?i).*(password|passphrase|secret|credential|jaas|user\\.?info|api\\.?key|access\\.?key"
              + "|private\\.?key|\\btoken\\b|(bearer|auth|oauth|access)\\.?token).*");

  private static final Pattern URL_CREDENTIALS = Pattern.compile("(://)[^/@\\s]+@");

  private Secrets() {}

  /** {@code value} as it may be printed for the key at {@code path}. */
  static String masked(String path, String value) {
    String key = path.startsWith("kafka.") ? path.substring("kafka.".length()) : path;
    if (isPassword(key) || NAMED_LIKE_A_SECRET.matcher(key).matches()) {
      return value.isEmpty() ? value : MASK;
    }
    Matcher credentials = URL_CREDENTIALS.matcher(value);
    return credentials.replaceAll("$1" + Matcher.quoteReplacement(MASK) + "@");
  }

  /** Whether {@code value} must not be printed for the key at {@code path}. */
  public static boolean isSecret(String path, String value) {
    return !masked(path, value).equals(value);
  }

  private static boolean isPassword(String key) {
    return isPassword(ProducerConfig.configDef(), key)
        || isPassword(ConsumerConfig.configDef(), key)
        || isPassword(AdminClientConfig.configDef(), key);
  }

  private static boolean isPassword(ConfigDef definition, String key) {
    ConfigDef.@Nullable ConfigKey found = definition.configKeys().get(key);
    return found != null && found.type == ConfigDef.Type.PASSWORD;
  }
}
