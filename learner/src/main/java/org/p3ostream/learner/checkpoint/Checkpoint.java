package org.p3ostream.learner.checkpoint;

import java.util.Objects;

/**
 * Which state a checkpoint holds.
 *
 * @param runId run it belongs to
 * @param modelHash architecture and layout of its vectors
 * @param step step of the event it was taken after; −1 for GENESIS
 * @param eventHash hash of that event: the checkpoint is usable only if the ledger holds it
 * @param policyVersion version of the weights
 * @param updates updates the optimizer made
 * @param weightsSha256 digest of the flat weights
 * @param firstMomentSha256 digest of the flat first moment
 * @param secondMomentSha256 digest of the flat second moment
 */
public record Checkpoint(
    String runId,
    String modelHash,
    long step,
    String eventHash,
    long policyVersion,
    long updates,
    String weightsSha256,
    String firstMomentSha256,
    String secondMomentSha256) {
  public Checkpoint {
    Objects.requireNonNull(runId, "runId"); // a description that was read may lack anything
    Objects.requireNonNull(modelHash, "modelHash");
    Objects.requireNonNull(eventHash, "eventHash");
    Objects.requireNonNull(weightsSha256, "weightsSha256");
    Objects.requireNonNull(firstMomentSha256, "firstMomentSha256");
    Objects.requireNonNull(secondMomentSha256, "secondMomentSha256");
  }
}
