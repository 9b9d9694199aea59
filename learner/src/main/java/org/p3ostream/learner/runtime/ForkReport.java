package org.p3ostream.learner.runtime;

import java.util.List;
import java.util.OptionalLong;

/**
 * What came of a fork.
 *
 * @param sharedStep last step that it shares with the other run; −1 for none
 * @param sharedVersion version of the weights after that step
 * @param changes keys that differ from the configuration the other run had in that step
 * @param offPolicyFrom first window with tokens that the other run sampled with weights of its own;
 *     empty if there is none, as where nothing is changed
 * @param lastStep last step of the fork
 * @param sourceLastStep last step of the other run
 * @param policyVersion version of its weights
 * @param weightsSha256 digest of its weights
 */
public record ForkReport(
    long sharedStep,
    long sharedVersion,
    List<String> changes,
    OptionalLong offPolicyFrom,
    long lastStep,
    long sourceLastStep,
    long policyVersion,
    String weightsSha256) {
  public ForkReport {
    changes = List.copyOf(changes);
  }
}
