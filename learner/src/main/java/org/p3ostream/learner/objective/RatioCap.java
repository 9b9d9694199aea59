package org.p3ostream.learner.objective;

/** What P3O's ratio is capped at. */
public enum RatioCap {
  /** The effective sample size. */
  ESS("ess"),
  /** Nothing: the KL alone. */
  NONE("none");

  private final String id;

  RatioCap(String id) {
    this.id = id;
  }

  /** Name in configurations and step events. */
  public String id() {
    return id;
  }
}
