package org.p3ostream.schemas.snapshot;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.p3ostream.schemas.avro.ParameterSlice;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotKind;
import org.p3ostream.schemas.avro.SnapshotLocation;
import org.p3ostream.schemas.avro.SnapshotManifest;

/** Cuts the weights of a version into chunks and closes them with a manifest. */
public final class SnapshotEncoder {

  /** Largest number of weight bytes in one chunk. */
  public static final int CHUNK_BYTES = 1024 * 1024;

  /** Chunks in order, then their manifest: the order in which they are to be sent. */
  public record Encoded(List<SnapshotChunk> chunks, SnapshotManifest manifest) {}

  private final String runId;
  private final String modelHash;
  private final List<ParameterSlice> parameterLayout;

  public SnapshotEncoder(String runId, String modelHash, List<ParameterSlice> parameterLayout) {
    this.runId = runId;
    this.modelHash = modelHash;
    this.parameterLayout = List.copyOf(parameterLayout);
  }

  /**
   * A FULL, INLINE snapshot.
   *
   * @param version policy version of the weights
   * @param step step that made them; −1 for version 0
   * @param weights flat float32 little-endian bytes, see {@link WeightsDigest#toBytes}; the chunks
   *     are views of this array, which must not change until they are written
   */
  public Encoded encode(long version, long step, byte[] weights) {
    List<SnapshotChunk> chunks = new ArrayList<>();
    for (int start = 0; start < weights.length; start += CHUNK_BYTES) {
      int length = Math.min(CHUNK_BYTES, weights.length - start);
      chunks.add(
          SnapshotChunk.newBuilder()
              .setRunId(runId)
              .setVersion(version)
              .setIndex(chunks.size())
              .setCrc32c(crc32c(ByteBuffer.wrap(weights, start, length)))
              .setData(ByteBuffer.wrap(weights, start, length))
              .build());
    }
    SnapshotManifest manifest =
        SnapshotManifest.newBuilder()
            .setRunId(runId)
            .setVersion(version)
            .setStep(step)
            .setKind(SnapshotKind.FULL)
            .setDtype("float32")
            .setModelHash(modelHash)
            .setParameterLayout(parameterLayout)
            .setChunkCount(chunks.size())
            .setTotalBytes(weights.length)
            .setSha256(WeightsDigest.sha256(weights))
            .setLocation(SnapshotLocation.INLINE)
            .build();
    return new Encoded(chunks, manifest);
  }

  static int crc32c(ByteBuffer data) {
    CRC32C checksum = new CRC32C();
    checksum.update(data.duplicate());
    return (int) checksum.getValue();
  }
}
