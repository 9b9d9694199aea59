package org.p3ostream.learner.objective;

/** How P3O's KL(π_θ ‖ π_b) is taken. */
public enum KlMode {
  /** {@link KlProxy}, its slope that of its value: the sign is wrong below −10 nats. */
  PROXY("proxy"),
  /** {@link KlProxy}, its slope {@link KlProxy#safeSlope}. */
  PROXY_SAFE("proxy-safe"),
  /** Over the full vocabulary, see {@link ExactKl}. */
  EXACT("exact"),
  /** None: the cap alone. */
  NONE("none");

  private final String id;

  KlMode(String id) {
    this.id = id;
  }

  /** Name in configurations and step events. */
  public String id() {
    return id;
  }
}
