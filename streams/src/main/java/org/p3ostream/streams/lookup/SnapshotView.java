package org.p3ostream.streams.lookup;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.SnapshotManifest;

/**
 * A snapshot's manifest as {@code /api/snapshots} shows it.
 *
 * @param step step that made the version; −1 for version 0
 * @param kind FULL or DELTA
 * @param baseVersion version a DELTA builds on; null for FULL
 * @param bytes of all chunks together
 * @param sha256 of the weights, hexadecimal
 * @param recordOffset of the manifest in {@code snapshots}
 */
public record SnapshotView(
    long version,
    long step,
    String kind,
    @Nullable Long baseVersion,
    long bytes,
    int chunks,
    String sha256,
    long recordOffset) {

  static SnapshotView of(SnapshotManifest manifest, long recordOffset) {
    return new SnapshotView(
        manifest.getVersion(),
        manifest.getStep(),
        manifest.getKind().name(),
        manifest.getBaseVersion(),
        manifest.getTotalBytes(),
        manifest.getChunkCount(),
        manifest.getSha256(),
        recordOffset);
  }
}
