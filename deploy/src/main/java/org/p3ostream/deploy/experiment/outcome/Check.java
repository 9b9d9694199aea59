package org.p3ostream.deploy.experiment.outcome;

/**
 * One question of the gate and its answer.
 *
 * @param name what is asked
 * @param passed whether the answer is the right one
 * @param measured what was found, for people
 */
public record Check(String name, boolean passed, String measured) {

  @Override
  public String toString() {
    return (passed ? "" : "NOT ") + name + " (" + measured + ")";
  }
}
