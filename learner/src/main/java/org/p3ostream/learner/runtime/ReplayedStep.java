package org.p3ostream.learner.runtime;

import java.util.List;

/**
 * A step that was executed again.
 *
 * @param step window
 * @param trained whether it was trained; else it was passed
 * @param policyVersion version after it
 * @param weightsSha256 of the weights that it gave
 * @param differences from what was recorded; empty if all of it is the same, bit for bit
 */
public record ReplayedStep(
    long step,
    boolean trained,
    long policyVersion,
    String weightsSha256,
    List<Difference> differences) {
  public ReplayedStep {
    differences = List.copyOf(differences);
  }

  /** Whether it gave what was recorded. */
  public boolean isIdentical() {
    return differences.isEmpty();
  }
}
