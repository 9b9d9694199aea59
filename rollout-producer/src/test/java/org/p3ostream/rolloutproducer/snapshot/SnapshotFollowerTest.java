package org.p3ostream.rolloutproducer.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.Weights;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.serde.Decoded;

class SnapshotFollowerTest {

  private final SnapshotFollower follower =
      new SnapshotFollower(PromptTasks.RUN, Weights.MODEL_HASH, Weights.PARAMETERS, 2);

  private List<SnapshotEvent> read(long version, List<SpecificRecord> records) {
    List<SnapshotEvent> events = new ArrayList<>();
    for (SpecificRecord record : records) {
      follower.accept(version, new Decoded.Accepted(record)).ifPresent(events::add);
    }
    return events;
  }

  private long heldVersion() {
    return follower.versions().newest().map(PolicyWeights::version).orElse(-1L);
  }

  @Test
  void acceptLoadsAVersionWithItsManifestAndNotBefore() {
    List<SpecificRecord> records = Weights.snapshot(3);

    assertThat(read(3, records.subList(0, 2))).isEmpty();
    assertThat(heldVersion()).isEqualTo(-1);
    assertThat(read(3, records.subList(2, 3))).containsExactly(new SnapshotEvent.Loaded(3));
    assertThat(follower.versions().newest().orElseThrow().weights()).isEqualTo(Weights.of(3));
  }

  @Test
  void acceptKeepsItsVersionWhenAChunkIsMissing() {
    read(0, Weights.snapshot(0));
    List<SpecificRecord> records = Weights.snapshot(1);

    assertThat(read(1, List.of(records.get(0), records.get(2))))
        .containsExactly(new SnapshotEvent.Corrupt(1, "found 1 of 2 chunks"));
    assertThat(heldVersion()).isZero();
  }

  @Test
  void acceptKeepsItsVersionWhenABitOfAChunkIsFlipped() {
    read(0, Weights.snapshot(0));
    List<SpecificRecord> records = new ArrayList<>(Weights.snapshot(1));
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
    List<SpecificRecord> records = Weights.snapshot(1);
    read(1, List.of(records.get(0), records.get(2)));

    assertThat(read(1, records)).containsExactly(new SnapshotEvent.Loaded(1));
  }

  @Test
  void acceptRefusesAnotherRunAndLosesNothingOfItsOwn() {
    List<SpecificRecord> own = Weights.snapshot(1);
    List<SpecificRecord> foreign = Weights.snapshot("run-b", Weights.MODEL_HASH, 1, Weights.of(1));
    read(1, own.subList(0, 1));

    assertThat(read(1, foreign))
        .containsExactly(
            new SnapshotEvent.Refused(
                1, "it belongs to run 'run-b', this producer serves 'run-a'"));
    assertThat(read(1, own.subList(1, 3))).containsExactly(new SnapshotEvent.Loaded(1));
  }

  @Test
  void acceptRefusesAnotherModel() {
    assertThat(read(1, Weights.snapshot(PromptTasks.RUN, "other", 1, Weights.of(1))))
        .containsExactly(
            new SnapshotEvent.Refused(
                1, "it is for model other, this producer's config.json gives model-hash"));
    assertThat(heldVersion()).isEqualTo(-1);
  }

  @Test
  void acceptRefusesAnotherNumberOfParameters() {
    assertThat(read(1, Weights.snapshot(PromptTasks.RUN, Weights.MODEL_HASH, 1, new float[7])))
        .containsExactly(
            new SnapshotEvent.Refused(1, "it has 7 parameters, the model " + Weights.PARAMETERS));
  }

  @Test
  void acceptRefusesARecordOfAnotherType() {
    assertThat(read(1, List.of(PromptTasks.task(0))))
        .containsExactly(
            new SnapshotEvent.Refused(1, "a PromptTask does not belong into this topic"));
  }
}
