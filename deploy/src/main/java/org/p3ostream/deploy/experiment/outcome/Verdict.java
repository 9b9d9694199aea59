package org.p3ostream.deploy.experiment.outcome;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the gate says of a run. A run that did not execute what its scenario says tells nothing; one
 * that did, and has not learnt, is a finding.
 *
 * @param execution whether it is what it says it is
 * @param quality whether it has learnt
 */
public record Verdict(List<Check> execution, List<Check> quality) {
  public Verdict {
    execution = List.copyOf(execution);
    quality = List.copyOf(quality);
  }

  public boolean executed() {
    return execution.stream().allMatch(Check::passed);
  }

  public boolean learnt() {
    return quality.stream().allMatch(Check::passed);
  }

  /** Both parts. */
  public boolean passed() {
    return executed() && learnt();
  }

  /** What did not pass, for people; empty if all did. */
  public String failures() {
    return Stream.concat(execution.stream(), quality.stream())
        .filter(check -> !check.passed())
        .map(Check::toString)
        .collect(Collectors.joining("; "));
  }
}
