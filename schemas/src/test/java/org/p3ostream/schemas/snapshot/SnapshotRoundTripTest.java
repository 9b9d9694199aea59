package org.p3ostream.schemas.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.ParameterSlice;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotKind;
import org.p3ostream.schemas.avro.SnapshotLocation;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.serde.RecordTypes;
import org.p3ostream.schemas.snapshot.SnapshotAssembler.Complete;
import org.p3ostream.schemas.snapshot.SnapshotAssembler.Corrupt;
import org.p3ostream.schemas.snapshot.SnapshotAssembler.Outcome;
import org.p3ostream.schemas.snapshot.SnapshotEncoder.Encoded;

class SnapshotRoundTripTest {

  private static final int CHUNK_ELEMENTS = SnapshotEncoder.CHUNK_BYTES / Float.BYTES;

  /** Two full chunks and a short one. */
  private static final float[] WEIGHTS = weights(2 * CHUNK_ELEMENTS + 5);

  private final SnapshotAssembler assembler = new SnapshotAssembler();

  @BeforeAll
  static void trustRecordTypes() {
    RecordTypes.trust(); // this test copies builders
  }

  @Test
  void encodeCutsTheWeightsIntoChunksAndClosesThem() {
    Encoded encoded = encoded(7, WEIGHTS);

    assertThat(encoded.chunks()).extracting(SnapshotChunk::getIndex).containsExactly(0, 1, 2);
    assertThat(encoded.chunks())
        .extracting(chunk -> chunk.getData().remaining())
        .containsExactly(SnapshotEncoder.CHUNK_BYTES, SnapshotEncoder.CHUNK_BYTES, 20);
    SnapshotManifest manifest = encoded.manifest();
    assertThat(manifest.getVersion()).isEqualTo(7);
    assertThat(manifest.getStep()).isEqualTo(8);
    assertThat(manifest.getKind()).isEqualTo(SnapshotKind.FULL);
    assertThat(manifest.getChunkCount()).isEqualTo(3);
    assertThat(manifest.getTotalBytes()).isEqualTo(4L * WEIGHTS.length);
    assertThat(manifest.getModelHash()).isEqualTo("model-hash");
    assertThat(manifest.getParameterLayout()).hasSize(1);
    assertThat(manifest.getSha256())
        .isEqualTo(WeightsDigest.sha256(WeightsDigest.toBytes(WEIGHTS)));
  }

  @Test
  void closeGivesTheWeightsBackBitForBit() {
    float[] strange = {0f, -0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, 1f / 3};

    for (float[] weights : List.of(WEIGHTS, strange, new float[0], weights(CHUNK_ELEMENTS))) {
      Outcome outcome = assemble(encoded(7, weights));
      assertThat(outcome).isInstanceOf(Complete.class);
      assertThat(WeightsDigest.toBytes(((Complete) outcome).weights()))
          .isEqualTo(WeightsDigest.toBytes(weights));
    }
  }

  @Test
  void closeTakesOneSnapshotAfterTheOther() {
    assertThat(assemble(encoded(7, WEIGHTS))).isInstanceOf(Complete.class);
    Outcome second = assemble(encoded(8, weights(3)));

    assertThat(second).isInstanceOf(Complete.class);
    assertThat(((Complete) second).manifest().getVersion()).isEqualTo(8);
  }

  @Test
  void closeDropsWhatAnAbandonedSnapshotLeft() {
    assembler.add(encoded(6, WEIGHTS).chunks().get(0));
    assembler.add(encoded(6, WEIGHTS).chunks().get(1));

    assertThat(assemble(encoded(7, WEIGHTS))).isInstanceOf(Complete.class);
  }

  @Test
  void closeRecoversAfterACorruptSnapshot() {
    assertCorrupt(chunks -> chunks.remove(1), "2 of 3");

    assertThat(assemble(encoded(8, WEIGHTS))).isInstanceOf(Complete.class);
  }

  @Test
  void closeIsCorruptWhenAChunkIsMissing() {
    for (int missing = 0; missing < 3; missing++) {
      int index = missing;
      assertCorrupt(chunks -> chunks.remove(index), "2 of 3");
    }
    assertCorrupt(List::clear, "0 of 3");
  }

  @Test
  void closeIsCorruptWhenAChunkComesTwice() {
    assertCorrupt(chunks -> chunks.add(2, chunks.get(1)), "4 of 3");
    assertCorrupt(chunks -> chunks.set(2, chunks.get(1)), "chunk 1");
  }

  @Test
  void closeIsCorruptWhenChunksAreReordered() {
    assertCorrupt(chunks -> Collections.swap(chunks, 1, 2), "chunk 2");
  }

  @Test
  void closeIsCorruptWhenAByteOfAChunkChanged() {
    assertCorrupt(
        chunks -> {
          ByteBuffer data = copy(chunks.get(1).getData());
          data.put(99, (byte) ~data.get(99));
          chunks.set(1, SnapshotChunk.newBuilder(chunks.get(1)).setData(data).build());
        },
        "chunk 1 has a wrong CRC-32C");
  }

  @Test
  void closeIsCorruptWhenAChunkIsOfAnotherVersionOrRun() {
    assertCorrupt(
        chunks -> chunks.set(1, encoded(6, WEIGHTS).chunks().get(1)), "run run-7, version 6");
    assertCorrupt(
        chunks -> chunks.set(1, SnapshotChunk.newBuilder(chunks.get(1)).setRunId("other").build()),
        "run other, version 7");
  }

  @Test
  void closeIsCorruptWhenTheDigestDiffers() {
    Encoded encoded = encoded(7, WEIGHTS);
    encoded.chunks().forEach(assembler::add);
    SnapshotManifest other =
        SnapshotManifest.newBuilder(encoded.manifest()).setSha256("00").build();

    assertCause(assembler.close(other), "manifest says 00");
  }

  @Test
  void closeIsCorruptWhenTheManifestSpeaksOfOtherBytes() {
    Encoded encoded = encoded(7, new float[] {1, 2});
    assertCause(
        assemble(encoded, SnapshotManifest.newBuilder(encoded.manifest()).setTotalBytes(9)),
        "8 bytes, manifest says 9");
    assertCause(
        assemble(encoded, SnapshotManifest.newBuilder(encoded.manifest()).setDtype("bfloat16")),
        "bfloat16");
    assertCause(
        assemble(
            encoded, SnapshotManifest.newBuilder(encoded.manifest()).setKind(SnapshotKind.DELTA)),
        "DELTA");
    assertCause(
        assemble(
            encoded,
            SnapshotManifest.newBuilder(encoded.manifest()).setLocation(SnapshotLocation.URI)),
        "URI");
  }

  @Test
  void closeIsCorruptWhenTheBytesAreNoWholeNumberOfFloats() {
    Encoded encoded =
        new SnapshotEncoder("run-7", "model-hash", List.of()).encode(7, 8, new byte[6]);

    assertCause(assemble(encoded), "6 bytes");
  }

  @Test
  void digestIsOfLittleEndianFloats() {
    assertThat(WeightsDigest.toBytes(new float[] {1f, -2f}))
        .containsExactly(0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0);
    assertThat(WeightsDigest.fromBytes(WeightsDigest.toBytes(WEIGHTS))).isEqualTo(WEIGHTS);
    assertThat(WeightsDigest.sha256(new byte[0]))
        .isEqualTo("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assertThatThrownBy(() -> WeightsDigest.fromBytes(new byte[7]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("7");
  }

  private void assertCorrupt(Consumer<List<SnapshotChunk>> damage, String cause) {
    Encoded encoded = encoded(7, WEIGHTS);
    List<SnapshotChunk> chunks = new ArrayList<>(encoded.chunks());
    damage.accept(chunks);
    chunks.forEach(assembler::add);

    assertCause(assembler.close(encoded.manifest()), cause);
  }

  private static void assertCause(Outcome outcome, String cause) {
    assertThat(outcome).isInstanceOf(Corrupt.class);
    assertThat(((Corrupt) outcome).cause()).contains(cause);
  }

  private Outcome assemble(Encoded encoded) {
    encoded.chunks().forEach(assembler::add);
    return assembler.close(encoded.manifest());
  }

  private Outcome assemble(Encoded encoded, SnapshotManifest.Builder manifest) {
    encoded.chunks().forEach(assembler::add);
    return assembler.close(manifest.build());
  }

  private static Encoded encoded(long version, float[] weights) {
    return new SnapshotEncoder(
            "run-7",
            "model-hash",
            List.of(new ParameterSlice("w", List.of((long) weights.length), 0L)))
        .encode(version, version + 1, WeightsDigest.toBytes(weights));
  }

  private static ByteBuffer copy(ByteBuffer data) {
    byte[] bytes = new byte[data.remaining()];
    data.duplicate().get(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private static float[] weights(int count) {
    Random random = new Random(42);
    float[] weights = new float[count];
    for (int i = 0; i < count; i++) {
      weights[i] = (float) random.nextGaussian();
    }
    return weights;
  }
}
