package org.p3ostream.rolloutproducer.snapshot;

/** What a record of the snapshots topic led to, when it is worth telling. */
public sealed interface SnapshotEvent {

  /** A version is whole, verified and in the cache. */
  record Loaded(long version) implements SnapshotEvent {}

  /** A version that could not be put together; the cache is as it was. Another read may succeed. */
  record Corrupt(long version, String cause) implements SnapshotEvent {}

  /** A snapshot this producer must not use, however often it is read. */
  record Refused(long version, String cause) implements SnapshotEvent {}
}
