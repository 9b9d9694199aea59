package org.p3ostream.learner.audit;

/**
 * One thing that is wrong.
 *
 * @param where topic, partition and offset, for instance {@code p3o.rollouts-2@17}; or a topic
 * @param what what was found and what should be there
 */
public record Problem(ProblemKind kind, String where, String what) {

  @Override
  public String toString() {
    return kind + " " + where + ": " + what;
  }
}
