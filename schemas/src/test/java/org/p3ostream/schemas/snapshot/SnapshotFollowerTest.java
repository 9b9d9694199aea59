package org.p3ostream.schemas.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.golden.RecordSamples;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordTypes;

class SnapshotFollowerTest {

  private static final String RUN = "run-a";
  private static final String MODEL_HASH = "model-hash";

  /** Two chunks. */
  private static final int PARAMETERS = SnapshotEncoder.CHUNK_BYTES / Float.BYTES + 3;

  private final List<PolicyWeights> loaded = new ArrayList<>();
  private final SnapshotFollower follower =
      new SnapshotFollower(RUN, MODEL_HASH, PARAMETERS, loaded::add);

  @BeforeAll
  static void trustRecordTypes() {
    RecordTypes.trust(); // this test copies builders
  }

  private List<SnapshotEvent> read(long version, List<SpecificRecord> records) {
    List<SnapshotEvent> events = new ArrayList<>();
    for (SpecificRecord record : records) {
      follower.accept(version, new Decoded.Accepted(record)).ifPresent(events::add);
    }
    return events;
  }

  private long heldVersion() {
    return loaded.stream().mapToLong(PolicyWeights::version).max().orElse(-1);
  }

  private static float[] weights(long version) {
    float[] weights = new float[PARAMETERS];
    Arrays.fill(weights, (float) version);
    return weights;
  }

  private static List<SpecificRecord> snapshot(long version) {
    return snapshot(RUN, MODEL_HASH, version, weights(version));
  }

  /** Chunks and manifest in order. */
  private static List<SpecificRecord> snapshot(
      String runId, String modelHash, long version, float[] weights) {
    SnapshotEncoder.Encoded encoded =
        new SnapshotEncoder(runId, modelHash, List.of())
            .encode(version, version - 1, WeightsDigest.toBytes(weights));
    List<SpecificRecord> records = new ArrayList<>(encoded.chunks());
    records.add(encoded.manifest());
    return records;
  }

  @Test
  void offsetsPerVersionCountsWhatATransactionOfOneSnapshotTakesUp() {
    assertThat(follower.offsetsPerVersion()).isEqualTo(2 + 1 + 1);
  }

  @Test
  void acceptLoadsAVersionWithItsManifestAndNotBefore() {
    List<SpecificRecord> records = snapshot(3);

    assertThat(read(3, records.subList(0, 2))).isEmpty();
    assertThat(heldVersion()).isEqualTo(-1);
    assertThat(read(3, records.subList(2, 3))).containsExactly(new SnapshotEvent.Loaded(3));
    assertThat(loaded.get(0).weights()).isEqualTo(weights(3));
  }

  @Test
  void acceptKeepsItsVersionWhenAChunkIsMissing() {
    read(0, snapshot(0));
    List<SpecificRecord> records = snapshot(1);

    assertThat(read(1, List.of(records.get(0), records.get(2))))
        .containsExactly(new SnapshotEvent.Corrupt(1, "found 1 of 2 chunks"));
    assertThat(heldVersion()).isZero();
  }

  @Test
  void acceptKeepsItsVersionWhenABitOfAChunkIsFlipped() {
    read(0, snapshot(0));
    List<SpecificRecord> records = new ArrayList<>(snapshot(1));
    SnapshotChunk chunk = (SnapshotChunk) records.get(1);
    byte[] bytes = new byte[chunk.getData().remaining()];
    chunk.getData().duplicate().get(bytes);
    bytes[5] ^= 1;
    records.set(1, SnapshotChunk.newBuilder(chunk).setData(ByteBuffer.wrap(bytes)).build());

    assertThat(read(1, records)).singleElement().isInstanceOf(SnapshotEvent.Corrupt.class);
    assertThat(heldVersion()).isZero();
  }

  @Test
  void acceptReportsCorruptWhenARecordIsUndecodable() {
    assertThat(
            follower.accept(1, new Decoded.Rejected(RejectionReason.UNDECODABLE, "no wire format")))
        .contains(new SnapshotEvent.Corrupt(1, "UNDECODABLE: no wire format"));
  }

  @Test
  void acceptLoadsAVersionThatIsReadAgainAfterItWasCorrupt() {
    List<SpecificRecord> records = snapshot(1);
    read(1, List.of(records.get(0), records.get(2)));

    assertThat(read(1, records)).containsExactly(new SnapshotEvent.Loaded(1));
  }

  @Test
  void acceptRefusesAnotherRunAndLosesNothingOfItsOwn() {
    List<SpecificRecord> own = snapshot(1);
    List<SpecificRecord> foreign = snapshot("run-b", MODEL_HASH, 1, weights(1));
    read(1, own.subList(0, 1));

    assertThat(read(1, foreign))
        .containsExactly(new SnapshotEvent.Refused(1, "it belongs to run 'run-b', not to 'run-a'"));
    assertThat(read(1, own.subList(1, 3))).containsExactly(new SnapshotEvent.Loaded(1));
  }

  @Test
  void acceptRefusesAnotherModel() {
    assertThat(read(1, snapshot(RUN, "other", 1, weights(1))))
        .containsExactly(
            new SnapshotEvent.Refused(1, "it is for model other, the model at hand is model-hash"));
    assertThat(heldVersion()).isEqualTo(-1);
  }

  @Test
  void acceptRefusesAnotherNumberOfParameters() {
    assertThat(read(1, snapshot(RUN, MODEL_HASH, 1, new float[7])))
        .containsExactly(
            new SnapshotEvent.Refused(1, "it has 7 parameters, the model " + PARAMETERS));
  }

  @Test
  void acceptRefusesARecordOfAnotherType() {
    assertThat(read(1, List.of(RecordSamples.promptTask())))
        .containsExactly(
            new SnapshotEvent.Refused(1, "a PromptTask does not belong into this topic"));
  }
}
