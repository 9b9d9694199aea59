package org.p3ostream.deploy.report;

/**
 * Something worth knowing about a run, for people.
 *
 * @param name what it is
 * @param value value with its unit
 * @param note how to take it; may be empty
 */
public record Fact(String name, String value, String note) {

  public Fact(String name, String value) {
    this(name, value, "");
  }
}
