package org.p3ostream.deploy.config;

import java.util.List;

/** A configuration that cannot be used. Every problem names path, value and rule. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  public ConfigException(List<String> problems) {
    super(String.join("\n", problems));
    this.problems = List.copyOf(problems);
  }

  public ConfigException(String problem) {
    this(List.of(problem));
  }

  /** One line per problem, never empty. */
  public List<String> problems() {
    return problems;
  }
}
