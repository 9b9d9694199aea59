package org.p3ostream.schemas.snapshot;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotKind;
import org.p3ostream.schemas.avro.SnapshotLocation;
import org.p3ostream.schemas.avro.SnapshotManifest;

/**
 * Puts snapshots together again from records read in topic order. A snapshot is whole or it is
 * nothing: every chunk must be there once, in order, with its checksum, and all of them together
 * must give the manifest's digest.
 */
public final class SnapshotAssembler {

  /** What a manifest led to. */
  public sealed interface Outcome {}

  /** Weights that reproduce the manifest's digest. */
  public static final class Complete implements Outcome {
    private final SnapshotManifest manifest;
    private final float[] weights;

    Complete(SnapshotManifest manifest, float[] weights) {
      this.manifest = manifest;
      this.weights = weights;
    }

    public SnapshotManifest manifest() {
      return manifest;
    }

    /** Flat weights in layout order, [P]; owned by the caller from here on. */
    public float[] weights() {
      return weights;
    }
  }

  /** A manifest whose chunks do not reproduce it. */
  public record Corrupt(SnapshotManifest manifest, String cause) implements Outcome {}

  private final List<SnapshotChunk> chunks = new ArrayList<>();

  /** Takes the next chunk of the topic. A chunk with index 0 starts a new snapshot. */
  public void add(SnapshotChunk chunk) {
    if (chunk.getIndex() == 0) {
      chunks.clear();
    }
    chunks.add(chunk);
  }

  /** Takes the manifest that closes the chunks added so far and forgets them. */
  public Outcome close(SnapshotManifest manifest) {
    try {
      String fault = fault(manifest);
      if (fault != null) {
        return new Corrupt(manifest, fault);
      }
      byte[] bytes = new byte[Math.toIntExact(manifest.getTotalBytes())];
      ByteBuffer target = ByteBuffer.wrap(bytes);
      for (SnapshotChunk chunk : chunks) {
        target.put(chunk.getData().duplicate());
      }
      String digest = WeightsDigest.sha256(bytes);
      if (!digest.equals(manifest.getSha256())) {
        return new Corrupt(
            manifest, "weights have digest " + digest + ", manifest says " + manifest.getSha256());
      }
      return new Complete(manifest, WeightsDigest.fromBytes(bytes));
    } finally {
      chunks.clear();
    }
  }

  /** What keeps the chunks from being the ones that {@code manifest} speaks of; null if nothing. */
  private @Nullable String fault(SnapshotManifest manifest) {
    if (manifest.getKind() != SnapshotKind.FULL
        || manifest.getLocation() != SnapshotLocation.INLINE
        || !manifest.getDtype().equals("float32")) {
      return "cannot read %s %s %s"
          .formatted(manifest.getKind(), manifest.getLocation(), manifest.getDtype());
    }
    if (chunks.size() != manifest.getChunkCount()) {
      return "found " + chunks.size() + " of " + manifest.getChunkCount() + " chunks";
    }
    long totalBytes = 0;
    for (int i = 0; i < chunks.size(); i++) {
      String fault = fault(chunks.get(i), i, manifest);
      if (fault != null) {
        return fault;
      }
      totalBytes += chunks.get(i).getData().remaining();
    }
    if (totalBytes != manifest.getTotalBytes()) {
      return "chunks hold " + totalBytes + " bytes, manifest says " + manifest.getTotalBytes();
    }
    return totalBytes % Float.BYTES == 0 && totalBytes <= Integer.MAX_VALUE
        ? null
        : totalBytes + " bytes are no float32 vector that fits an array";
  }

  private static @Nullable String fault(SnapshotChunk chunk, int index, SnapshotManifest manifest) {
    if (chunk.getIndex() != index
        || chunk.getVersion() != manifest.getVersion()
        || !chunk.getRunId().equals(manifest.getRunId())) {
      return "chunk %d of run %s, version %d stands where chunk %d of run %s, version %d should"
          .formatted(
              chunk.getIndex(),
              chunk.getRunId(),
              chunk.getVersion(),
              index,
              manifest.getRunId(),
              manifest.getVersion());
    }
    return SnapshotEncoder.crc32c(chunk.getData()) == chunk.getCrc32c()
        ? null
        : "chunk " + index + " has a wrong CRC-32C";
  }
}
