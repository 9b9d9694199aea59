package org.p3ostream.rolloutproducer.snapshot;

import java.util.Optional;
import java.util.OptionalLong;
import org.p3ostream.schemas.snapshot.SnapshotEvent;

/**
 * Decides when the snapshots topic is to be read again from an earlier place: for a version that is
 * older than what is kept, and for one that could not be put together. The first read for a version
 * starts where its manifest should lie, later ones at the beginning of the topic; between two reads
 * of the same version the pause doubles from {@link #FIRST_PAUSE_MS} to {@link #LONGEST_PAUSE_MS}.
 */
public final class SnapshotRecall {

  static final long FIRST_PAUSE_MS = 500;
  static final long LONGEST_PAUSE_MS = 30_000;

  /**
   * Where to read again.
   *
   * @param version what is looked for
   * @param attempt counted from 1
   * @param manifestOffset offset of its manifest; empty reads from the beginning of the topic
   */
  public record Reread(long version, int attempt, OptionalLong manifestOffset) {}

  private long newestSeen = -1;
  private OptionalLong corruptNewest = OptionalLong.empty();
  private OptionalLong target = OptionalLong.empty();
  private int attempts;
  private long notBeforeMs;
  private boolean reading;

  /** Notes what the topic holds. */
  public void observe(SnapshotEvent event) {
    if (event instanceof SnapshotEvent.Loaded loaded) {
      newestSeen = Math.max(newestSeen, loaded.version());
      forget(loaded.version());
    } else if (event instanceof SnapshotEvent.Corrupt corrupt && corrupt.version() >= newestSeen) {
      newestSeen = corrupt.version();
      corruptNewest = OptionalLong.of(corrupt.version());
    }
  }

  private void forget(long loadedVersion) {
    if (corruptNewest.isPresent() && corruptNewest.getAsLong() <= loadedVersion) {
      corruptNewest = OptionalLong.empty();
    }
    if (target.isPresent() && target.getAsLong() == loadedVersion) {
      target = OptionalLong.empty();
      reading = false;
    }
  }

  /** Notes that the end of the topic is reached: what was not found on the way is not there. */
  public void reachedEnd() {
    reading = false;
  }

  /**
   * What to read again now.
   *
   * @param missing exact version that a prompt asks for and the cache does not hold
   * @param manifestOffset where its manifest should lie
   * @param nowMs milliseconds on any clock that does not go back
   */
  public Optional<Reread> next(OptionalLong missing, OptionalLong manifestOffset, long nowMs) {
    boolean passedBy = missing.isPresent() && missing.getAsLong() <= newestSeen;
    OptionalLong version = passedBy ? missing : corruptNewest;
    if (version.isEmpty() || reading) {
      return Optional.empty();
    }
    if (!version.equals(target)) {
      target = version;
      attempts = 0;
      notBeforeMs = passedBy ? nowMs : nowMs + FIRST_PAUSE_MS;
    }
    if (nowMs < notBeforeMs) {
      return Optional.empty();
    }
    attempts++;
    notBeforeMs = nowMs + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(attempts, 10));
    reading = true;
    boolean knownPlace = passedBy && attempts == 1;
    return Optional.of(
        new Reread(
            version.getAsLong(), attempts, knownPlace ? manifestOffset : OptionalLong.empty()));
  }
}
