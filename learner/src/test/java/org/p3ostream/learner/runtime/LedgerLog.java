package org.p3ostream.learner.runtime;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.commit.InMemorySerde;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.p3ostream.schemas.topic.TopicCatalogue;

/** The ledger of a few steps, for a reader that begins as often as it likes, and checkpoints. */
final class LedgerLog extends MockConsumer<byte[], byte[]> {

  static final ParameterLayout LAYOUT =
      ParameterLayout.of(new ModelConfig(5, 4, 6, 1, 2, 1, 2, 1e-6, 1e4, true, 8, 0, 1));
  static final RecordCodec CODEC = InMemorySerde.codec();

  private static final TopicPartition PARTITION = new TopicPartition("steps", 0);

  private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
  private final List<String> hashes = new ArrayList<>(); // by step + 1
  private int timesRead;

  LedgerLog(int steps) {
    super("earliest");
    commit(StepEvents.event(StepKind.GENESIS, -1, 0, EventHash.NONE).setConfiguration("{}"));
    for (long step = 0; step < steps; step++) {
      commit(
          StepEvents.event(StepKind.STEP, step, step, hashes.get(hashes.size() - 1))
              .setPolicyVersionAfter(step + 1)
              .setWeightsSha256(
                  WeightsDigest.sha256(WeightsDigest.toBytes(state(step + 1).weights()))));
    }
    updateBeginningOffsets(Map.of(PARTITION, 0L));
    updateEndOffsets(Map.of(PARTITION, (long) records.size()));
  }

  private void commit(StepEvent.Builder event) {
    byte[] value = CODEC.encode(PARTITION.topic(), event.build());
    hashes.add(EventHash.of(value));
    records.add(new ConsumerRecord<>(PARTITION.topic(), 0, records.size(), new byte[0], value));
  }

  private static OptimizerState state(long version) {
    float[] weights = new float[LAYOUT.size()];
    weights[0] = version;
    return new OptimizerState(
        weights, new float[weights.length], new float[weights.length], version);
  }

  @Override
  public synchronized void seekToBeginning(Collection<TopicPartition> partitions) {
    super.seekToBeginning(partitions);
    timesRead++;
    records.forEach(this::addRecord);
  }

  int timesRead() {
    return timesRead;
  }

  RunLog log() {
    return new RunLog(
        new LogReaders(this, this, this, CODEC), new TopicCatalogue(""), StepEvents.RUN_ID);
  }

  void save(CheckpointStore store, long step) throws IOException {
    save(store, step, hashes.get(Math.toIntExact(step + 1)));
  }

  /** As a run of the same id does that has another ledger. */
  static void saveForeign(CheckpointStore store, long step) throws IOException {
    save(store, step, "f".repeat(64));
  }

  private static void save(CheckpointStore store, long step, String eventHash) throws IOException {
    store.save(StepEvents.RUN_ID, step, eventHash, step + 1, state(step + 1));
  }
}
