package org.p3ostream.streams.server;

/** A query parameter that breaks its rule. */
final class BadParameterException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String name;
  private final String value;
  private final String rule;

  BadParameterException(String name, String value, String rule) {
    super(name + ": '" + value + "' " + rule);
    this.name = name;
    this.value = value;
    this.rule = rule;
  }

  String name() {
    return name;
  }

  String value() {
    return value;
  }

  String rule() {
    return rule;
  }
}
