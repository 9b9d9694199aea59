package org.p3ostream.learner.runtime;

/**
 * A figure of a step that is not the same again.
 *
 * @param what its name
 * @param recorded what the log says
 * @param found what was computed or found
 */
public record Difference(String what, String recorded, String found) {
  @Override
  public String toString() {
    return what + ": recorded " + recorded + ", found " + found;
  }
}
