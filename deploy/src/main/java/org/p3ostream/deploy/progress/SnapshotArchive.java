package org.p3ostream.deploy.progress;

import java.time.Duration;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.snapshot.SnapshotAssembler;
import org.p3ostream.schemas.snapshot.SnapshotAssembler.Complete;
import org.p3ostream.schemas.snapshot.SnapshotAssembler.Corrupt;
import org.p3ostream.schemas.snapshot.SnapshotAssembler.Outcome;

/** The newest weights of a run, rebuilt from its snapshots, every one of which is read. */
public final class SnapshotArchive {

  private static final Duration POLL = Duration.ofMillis(500);

  private final Complete newest;

  private SnapshotArchive(Complete newest) {
    this.newest = newest;
  }

  /**
   * Reads all snapshots there are.
   *
   * @throws IllegalStateException if one does not reproduce its digest, or if there is none
   */
  public static SnapshotArchive read(LogFollower snapshots) {
    SnapshotAssembler assembler = new SnapshotAssembler();
    @Nullable Complete newest = null;
    do {
      for (SpecificRecord record : snapshots.poll(POLL)) {
        if (record instanceof SnapshotChunk chunk) {
          assembler.add(chunk);
        } else if (record instanceof SnapshotManifest manifest) {
          newest = complete(assembler.close(manifest));
        }
      }
    } while (!snapshots.isAtEnd());
    if (newest == null) {
      throw new IllegalStateException("the run has no snapshot");
    }
    return new SnapshotArchive(newest);
  }

  /** Weights of the last manifest. */
  public Complete newest() {
    return newest;
  }

  private static Complete complete(Outcome outcome) {
    if (outcome instanceof Complete complete) {
      return complete;
    }
    Corrupt corrupt = (Corrupt) outcome;
    throw new IllegalStateException(
        "snapshot of version " + corrupt.manifest().getVersion() + ": " + corrupt.cause());
  }
}
