package org.p3ostream.learner.config;

/**
 * A file that the configuration names cannot be used, or the run at hand does not go on with this
 * configuration; the message names key, value and rule.
 */
public final class ConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ConfigurationException(String message) {
    super(message);
  }

  public ConfigurationException(String message, Throwable cause) {
    super(message, cause);
  }
}
