package org.p3ostream.streams.lookup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.SnapshotChunk;
import org.p3ostream.schemas.avro.SnapshotKind;
import org.p3ostream.schemas.avro.SnapshotLocation;
import org.p3ostream.schemas.avro.SnapshotManifest;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.streams.edge.PatientCodec;
import org.p3ostream.streams.fixture.LoopbackRegistry;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;

class LogLookupTest {
  private static final TopicPartition SNAPSHOTS = new TopicPartition("p3o.snapshots", 0);
  private static final TopicPartition ROLLOUTS = new TopicPartition("p3o.rollouts", 0);

  /** Says "t" and the id of each token. */
  private static final TokenDecoder DECODER =
      new TokenDecoder() {
        @Override
        public @Nullable String obstacle(String tokenizerHash) {
          return null;
        }

        @Override
        public List<String> pieces(String tokenizerHash, List<Integer> tokens) {
          return tokens.stream().map(token -> "t" + token).toList();
        }
      };

  private final LoopbackRegistry registry = new LoopbackRegistry();
  private final RecordCodec codec = registry.codec();
  private final Log log = new Log();
  private final LogReader reader =
      new LogReader(log, new PatientCodec(registry.codec(), Duration.ZERO, Duration.ZERO));

  /** Records at offsets; what lies between are markers and records of aborted transactions. */
  private static final class Log extends MockConsumer<byte[], byte[]> {
    private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records =
        new java.util.HashMap<>();
    private final List<Long> readFrom = new ArrayList<>();

    Log() {
      super("earliest");
    }

    void put(TopicPartition at, long offset, byte[] value) {
      records
          .computeIfAbsent(at, none -> new ArrayList<>())
          .add(new ConsumerRecord<>(at.topic(), at.partition(), offset, new byte[0], value));
    }

    void spans(TopicPartition at, long begin, long end) {
      updateBeginningOffsets(Map.of(at, begin));
      updateEndOffsets(Map.of(at, end));
    }

    @Override
    public synchronized void seek(TopicPartition partition, long offset) {
      super.seek(partition, offset);
      readFrom.add(offset);
    }

    /** What lies at the position; past markers at the end where nothing does. */
    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      for (TopicPartition partition : assignment()) {
        long position = position(partition);
        records.getOrDefault(partition, List.of()).stream()
            .filter(record -> record.offset() >= position)
            .forEach(this::addRecord);
      }
      ConsumerRecords<byte[], byte[]> polled = super.poll(timeout);
      if (polled.isEmpty()) {
        endOffsets(assignment()).forEach(super::seek);
      }
      return polled;
    }
  }

  @AfterEach
  void close() {
    reader.close();
    codec.close();
    registry.close();
  }

  @Test
  void fetchShowsPromptResponsesAndTokensOfAGroup() {
    log.spans(ROLLOUTS, 0, 10);
    log.put(ROLLOUTS, 7, codec.encode(ROLLOUTS.topic(), Records.rollout(12, 0, 1, 0.5)));

    GroupView view = fetch(12).orElseThrow();

    assertThat(view.prompt()).isEqualTo("t1t2");
    assertThat(view.step()).isEqualTo(3);
    assertThat(view.stalenessMax()).isEqualTo(1);
    assertThat(view.responses())
        .extracting(GroupView.ResponseView::reward)
        .containsExactly(1.0, 0.5);
    assertThat(view.responses().get(0).text()).isEqualTo("t3");
    assertThat(view.responses().get(0).tokens())
        .containsExactly(new GroupView.TokenView(3, "t3", -0.5f, true));
  }

  @Test
  void fetchIsEmptyWhenAnotherGroupLiesThereOrNothing() {
    log.spans(ROLLOUTS, 0, 10);
    log.put(ROLLOUTS, 7, codec.encode(ROLLOUTS.topic(), Records.rollout(13, 0, 1)));

    assertThat(fetch(12)).isEmpty();

    log.put(ROLLOUTS, 8, codec.encode(ROLLOUTS.topic(), Records.rollout(12, 0, 1)));
    assertThat(new GroupLookup(reader, DECODER).fetch(ROLLOUTS.topic(), at(12, 6))).isEmpty();
  }

  @Test
  void viewShowsOfALongGroupNoMoreTokensThanItsShareAndSaysHowManyThereAre() {
    int length = GroupLookup.MOST_TOKENS;
    RolloutGroup group = Records.rollout(1, 0, 1, 1);
    RolloutGroup longGroup =
        RolloutGroup.newBuilder(group)
            .setResponses(
                group.getResponses().stream().map(response -> longer(response, length)).toList())
            .build();

    GroupView.ResponseView response = GroupViews.of(longGroup, at(1, 7)).responses().get(0);

    assertThat(response.tokens()).hasSize(length / 2);
    assertThat(response.tokenCount()).isEqualTo(length);
  }

  @Test
  void fetchThrowsThatTheLogCannotBeReadWhenTheRegistryIsAway() {
    log.spans(ROLLOUTS, 0, 10);
    log.put(ROLLOUTS, 7, codec.encode(ROLLOUTS.topic(), Records.rollout(12, 0, 1)));
    registry.failNext(1);

    assertThatThrownBy(() -> fetch(12))
        .isInstanceOf(NotReadableException.class)
        .hasMessageContaining("p3o.rollouts-0 could not be read");
    assertThat(fetch(12)).isPresent();
  }

  @Test
  void newestStepsOverChunksAndReadsOnlyNewOnesTheNextTime() {
    long next = 0;
    for (long version = 0; version < 5; version++) {
      next = putSnapshot(version, next, 40);
    }
    log.spans(SNAPSHOTS, 0, next);
    SnapshotLookup lookup = new SnapshotLookup(reader, SNAPSHOTS.topic());

    assertThat(lookup.newest(3))
        .extracting(SnapshotView::version, SnapshotView::step, SnapshotView::bytes)
        .containsExactly(tuple(4), tuple(3), tuple(2));
    assertThat(log.readFrom).hasSize(3);

    log.readFrom.clear();
    next = putSnapshot(5, next, 40);
    log.spans(SNAPSHOTS, 0, next);
    assertThat(lookup.newest(2)).extracting(SnapshotView::version).containsExactly(5L, 4L);
    assertThat(log.readFrom).hasSize(1);
  }

  @Test
  void newestFindsAManifestBelowRecordsOfAnAbortedTransaction() {
    long next = putSnapshot(0, 0, 2) + 30; // nothing visible in between
    next = putSnapshot(1, next, 2);
    log.spans(SNAPSHOTS, 0, next);

    assertThat(new SnapshotLookup(reader, SNAPSHOTS.topic()).newest(10))
        .extracting(SnapshotView::version)
        .containsExactly(1L, 0L);
  }

  @Test
  void newestIsEmptyWhenNothingWasWritten() {
    log.spans(SNAPSHOTS, 0, 0);

    assertThat(new SnapshotLookup(reader, SNAPSHOTS.topic()).newest(10)).isEmpty();
  }

  private static Response longer(Response response, int length) {
    return Response.newBuilder(response)
        .setTokens(Collections.nCopies(length, 3))
        .setBehaviorLogprobs(Collections.nCopies(length, -1f))
        .setLossMask(Collections.nCopies(length, true))
        .setBehaviorLogprobMask(Collections.nCopies(length, true))
        .build();
  }

  private Optional<GroupView> fetch(long groupId) {
    return new GroupLookup(reader, DECODER).fetch(ROLLOUTS.topic(), at(groupId, 7));
  }

  private static TrainedGroup at(long groupId, long offset) {
    return new TrainedGroup(groupId, 0, 3, 3, 2, 0, offset);
  }

  private static org.assertj.core.groups.Tuple tuple(long version) {
    return org.assertj.core.groups.Tuple.tuple(version, version - 1, 40L);
  }

  /** Chunks, the manifest, and the marker that ends the transaction; returns what comes next. */
  private long putSnapshot(long version, long from, int chunks) {
    for (int i = 0; i < chunks; i++) {
      put(from + i, new SnapshotChunk(Records.RUN, version, i, 0, ByteBuffer.allocate(1)));
    }
    put(
        from + chunks,
        SnapshotManifest.newBuilder()
            .setRunId(Records.RUN)
            .setVersion(version)
            .setStep(version - 1)
            .setKind(SnapshotKind.FULL)
            .setDtype("float32")
            .setModelHash("m")
            .setParameterLayout(List.of())
            .setChunkCount(chunks)
            .setTotalBytes(chunks)
            .setSha256("ab")
            .setLocation(SnapshotLocation.INLINE)
            .build());
    return from + chunks + 2;
  }

  private void put(long offset, SpecificRecord record) {
    log.put(SNAPSHOTS, offset, codec.encode(SNAPSHOTS.topic(), record));
  }
}
