package org.p3ostream.deploy.experiment.plan;

import org.jspecify.annotations.Nullable;

/**
 * What the runs of a scenario must show, or they did not run what it says.
 *
 * @param stalenessMin smallest staleness of a token from step {@code fromStep} on, versions: it
 *     must be reached, and nothing may be below
 * @param stalenessMax largest staleness of a token from that step on, versions: it must be reached;
 *     nothing may be above, before that step either
 * @param fromStep step from which on the staleness is as it stays: windows of the first steps are
 *     sampled before there are versions to be behind of
 * @param essMin least effective sample size of a step; null for no bound
 */
public record Expectation(
    int stalenessMin, int stalenessMax, int fromStep, @Nullable Double essMin) {

  public static Expectation defaults() {
    return new Expectation(0, 0, 0, null);
  }
}
