package org.p3ostream.schemas.snapshot;

import java.util.Optional;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.serde.Decoded;

/** Turns records of the snapshots topic, in topic order, into policy versions. */
public final class SnapshotFollower {

  private final String runId;
  private final String modelHash;
  private final int parameterCount;
  private final Consumer<PolicyWeights> loaded;
  private final SnapshotAssembler assembler = new SnapshotAssembler();

  /**
   * Creates a follower.
   *
   * @param runId snapshots of another run are refused
   * @param modelHash snapshots of another architecture or layout are refused
   * @param parameterCount P
   * @param loaded takes every version that is whole and verified
   */
  public SnapshotFollower(
      String runId, String modelHash, int parameterCount, Consumer<PolicyWeights> loaded) {
    this.runId = runId;
    this.modelHash = modelHash;
    this.parameterCount = parameterCount;
    this.loaded = loaded;
  }

  /**
   * Offsets that a snapshot takes up in the topic: full chunks, a last one that is not full, the
   * manifest, and the marker of the transaction that wrote it.
   */
  public long offsetsPerVersion() {
    return (long) parameterCount * Float.BYTES / SnapshotEncoder.CHUNK_BYTES + 3;
  }

  /**
   * Takes the next record.
   *
   * @param version the record's key
   * @param decoded the record's value
   */
  public Optional<SnapshotEvent> accept(long version, Decoded decoded) {
    if (decoded instanceof Decoded.Rejected rejected) {
      return Optional.of(
          new SnapshotEvent.Corrupt(version, rejected.reason() + ": " + rejected.cause()));
    }
    SpecificRecord record = ((Decoded.Accepted) decoded).record();
    if (record instanceof SnapshotChunk chunk) {
      if (chunk.getRunId().equals(runId)) {
        assembler.add(chunk);
      }
      return Optional.empty();
    }
    if (record instanceof SnapshotManifest manifest) {
      return Optional.of(close(manifest));
    }
    return Optional.of(
        new SnapshotEvent.Refused(
            version, "a " + record.getSchema().getName() + " does not belong into this topic"));
  }

  private SnapshotEvent close(SnapshotManifest manifest) {
    long version = manifest.getVersion();
    if (!manifest.getRunId().equals(runId)) {
      return new SnapshotEvent.Refused(
          version, "it belongs to run '" + manifest.getRunId() + "', not to '" + runId + "'");
    }
    if (!manifest.getModelHash().equals(modelHash)) {
      return new SnapshotEvent.Refused(
          version,
          "it is for model " + manifest.getModelHash() + ", the model at hand is " + modelHash);
    }
    SnapshotAssembler.Outcome outcome = assembler.close(manifest);
    if (outcome instanceof SnapshotAssembler.Corrupt corrupt) {
      return new SnapshotEvent.Corrupt(version, corrupt.cause());
    }
    float[] weights = ((SnapshotAssembler.Complete) outcome).weights();
    if (weights.length != parameterCount) {
      return new SnapshotEvent.Refused(
          version, "it has " + weights.length + " parameters, the model " + parameterCount);
    }
    loaded.accept(new PolicyWeights(version, weights));
    return new SnapshotEvent.Loaded(version);
  }
}
