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

/** The oldest and the newest weights of a run, rebuilt from its snapshots. */
public final class SnapshotArchive {

  private static final Duration POLL = Duration.ofMillis(500);

  private final Complete oldest;
  private final Complete newest;

  private SnapshotArchive(Complete oldest, Complete newest) {
    this.oldest = oldest;
    this.newest = newest;
  }

  /**
   * Reads all snapshots there are.
   *
   * @throws IllegalStateException if one does not reproduce its digest, or if there is none
   */
  public static SnapshotArchive read(LogFollower snapshots) {
    SnapshotAssembler assembler = new SnapshotAssembler();
    @Nullable Complete oldest = null;
    @Nullable Complete newest = null;
    do {
      for (SpecificRecord record : snapshots.poll(POLL)) {
        if (record instanceof SnapshotChunk chunk) {
          assembler.add(chunk);
        } else if (record instanceof SnapshotManifest manifest) {
          newest = complete(assembler.close(manifest));
          oldest = oldest == null ? newest : oldest;
        }
      }
    } while (!snapshots.isAtEnd());
    if (oldest == null || newest == null) {
      throw new IllegalStateException("the run has no snapshot");
    }
    return new SnapshotArchive(oldest, newest);
  }

  /** Weights of the first manifest. */
  public Complete oldest() {
    return oldest;
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
