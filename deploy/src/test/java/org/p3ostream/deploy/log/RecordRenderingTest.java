package org.p3ostream.deploy.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotKind;
import org.p3ostream.schemas.avro.SnapshotLocation;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.serde.Decoded;

class RecordRenderingTest {

  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new PrintWriter(written);

  @Test
  void snapshotTableHasALinePerVersionUnderOneHead() {
    SnapshotTable table = new SnapshotTable(out);
    table.show(entry(manifest(0, -1)), manifest(0, -1));
    table.show(entry(manifest(1, 0)), manifest(1, 0));
    assertThat(written.toString().lines())
        .hasSize(3)
        .anyMatch(line -> line.matches(" *version +step +kind +chunks +bytes +offset +weights .*"))
        .anyMatch(line -> line.matches(" +0 +-1 +FULL +2 +12 +7 +abc"))
        .anyMatch(line -> line.matches(" +1 +0 +FULL +2 +12 +7 +abc"));
  }

  @Test
  void deadLetterTextSaysWhatItIsAboutAndWhyAndEscapesWhatStrangersWrote() {
    DeadLetter letter =
        letter()
            .setGroupId(10L)
            .setAttempt(1)
            .setProducerId("a\u001B[2J")
            .setField("responses[1].reward")
            .setCause("NaN\nis not finite")
            .build();
    new DeadLetterText(out).show(entry(letter), letter);
    assertThat(written.toString().lines())
        .containsExactly(
            "NON_FINITE  p3o.rollouts-2@17  group 10 attempt 1  producer a\\u001b[2J  99 bytes "
                + " 1970-01-01T00:00:00.005Z",
            "  responses[1].reward: NaN\\nis not finite");
  }

  @Test
  void deadLetterTextLeavesOutWhatCouldNotBeRead() {
    DeadLetter letter = letter().setCause("no wire format").build();
    new DeadLetterText(out).show(entry(letter), letter);
    assertThat(written.toString().lines())
        .containsExactly(
            "NON_FINITE  p3o.rollouts-2@17  99 bytes  1970-01-01T00:00:00.005Z",
            "  no wire format");
  }

  @Test
  void jsonHoldsEveryFieldAndTheCoordinate() throws Exception {
    DeadLetter letter = letter().setCause("é").build();
    new RecordJson<DeadLetter>(out).show(entry(letter), letter);
    assertThat(written.toString().stripTrailing()).isPrintable().matches("\\p{ASCII}*");
    JsonNode line = new ObjectMapper().readTree(written.toString());
    for (var field : DeadLetter.getClassSchema().getFields()) {
      assertThat(line.has(field.name())).as(field.name()).isTrue();
    }
    assertThat(line.get("offset").asLong()).isEqualTo(7);
    assertThat(line.get("cause").asText()).isEqualTo("é");
  }

  @Test
  void chunksArePassedOverInSilenceAndStrangersAreNot() {
    List<String> told = new ArrayList<>();
    Unreadable unreadable = new Unreadable(told::add);
    Unreadable withChunks = unreadable.except(SnapshotChunk.class);
    SnapshotChunk chunk = new SnapshotChunk("run", 1L, 0, 0, java.nio.ByteBuffer.wrap(new byte[4]));
    assertThat(withChunks.read(entry(chunk), SnapshotManifest.class)).isNull();
    assertThat(told).isEmpty();
    DeadLetter letter = letter().setCause("x").build();
    assertThat(withChunks.read(entry(letter), SnapshotManifest.class)).isNull();
    assertThat(told).hasSize(1);
    assertThat(unreadable.count()).isEqualTo(1);
  }

  @Test
  void queriesChooseByEveryCondition() {
    DeadLetter letter =
        letter().setGroupId(10L).setAttempt(0).setProducerId("a").setCause("x").build();
    assertThat(new DeadLetterQuery(null, null, null).matches(letter)).isTrue();
    assertThat(new DeadLetterQuery(RejectionReason.NON_FINITE, 10L, "a").matches(letter)).isTrue();
    assertThat(new DeadLetterQuery(RejectionReason.STALE, null, null).matches(letter)).isFalse();
    assertThat(new DeadLetterQuery(null, 11L, null).matches(letter)).isFalse();
    assertThat(new DeadLetterQuery(null, null, "b").matches(letter)).isFalse();
    assertThat(new StepRange(2L, 3L).contains(1)).isFalse();
    assertThat(new StepRange(2L, 3L).contains(2)).isTrue();
    assertThat(new StepRange(2L, 3L).contains(3)).isTrue();
    assertThat(new StepRange(2L, 3L).contains(4)).isFalse();
    assertThat(new StepRange(null, null).contains(-1)).isTrue();
    RolloutQuery query = new RolloutQuery(1, false, new StepRange(1L, 1L), 10L, "1");
    assertThat(query.matches(Groups.group("t", List.of()).build())).isTrue();
    assertThat(query.matches(Groups.group("t", List.of()).setProducerId("2").build())).isFalse();
    assertThat(query.matches(Groups.group("t", List.of()).setWindowIndex(2).build())).isFalse();
    assertThat(query.matches(Groups.group("t", List.of()).setGroupId(11).build())).isFalse();
  }

  private static LogEntry entry(SpecificRecord record) {
    return new LogEntry("p3o.some", 0, 7, 1, new Decoded.Accepted(record));
  }

  private static DeadLetter.Builder letter() {
    return DeadLetter.newBuilder()
        .setRunId("run")
        .setSourceTopic("p3o.rollouts")
        .setSourcePartition(2)
        .setSourceOffset(17)
        .setReason(RejectionReason.NON_FINITE)
        .setValueBytes(99)
        .setRejectedAt(5);
  }

  private static SnapshotManifest manifest(long version, long step) {
    return SnapshotManifest.newBuilder()
        .setRunId("run")
        .setVersion(version)
        .setStep(step)
        .setKind(SnapshotKind.FULL)
        .setDtype("float32")
        .setModelHash("model")
        .setParameterLayout(List.of())
        .setChunkCount(2)
        .setTotalBytes(12)
        .setSha256("abc")
        .setLocation(SnapshotLocation.INLINE)
        .build();
  }
}
