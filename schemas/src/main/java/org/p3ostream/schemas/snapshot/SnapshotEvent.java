package org.p3ostream.schemas.snapshot;

/** What a record of the snapshots topic led to, when it is worth telling. */
public sealed interface SnapshotEvent {

  /** A version is whole and verified. */
  record Loaded(long version) implements SnapshotEvent {}

  /**
   * A version that could not be put together; nothing of it was handed on. Another read may
   * succeed.
   */
  record Corrupt(long version, String cause) implements SnapshotEvent {}

  /** A snapshot that must not be used here, however often it is read. */
  record Refused(long version, String cause) implements SnapshotEvent {}
}
