package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.learner.checkpoint.Checkpoint;
import org.p3ostream.learner.checkpoint.CheckpointStore;
import org.p3ostream.learner.commit.InMemorySerde;
import org.p3ostream.learner.config.AlgorithmConfig;
import org.p3ostream.learner.config.AuditConfig;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.LearnerConfig;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.config.ModelSourceConfig;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.config.PromptsConfig;
import org.p3ostream.learner.config.RatioConfig;
import org.p3ostream.learner.config.RecoveryConfig;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.config.TrimmingConfig;
import org.p3ostream.learner.config.WindowConfig;
import org.p3ostream.learner.ledger.EventHash;
import org.p3ostream.learner.ledger.LedgerState;
import org.p3ostream.learner.ledger.StepEvents;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.trim.TrimBook;
import org.p3ostream.schemas.avro.PartitionProgress;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.avro.TrimmedPartition;
import org.p3ostream.schemas.avro.WindowEntry;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/** A run of six windows with a checkpoint after the fourth and one after the sixth. */
class TrimmerTest {

  private static final RunConfig RUN = new RunConfig(StepEvents.RUN_ID, 1, "t.");
  private static final TopicCatalogue TOPICS = new TopicCatalogue(RUN.topicPrefix());
  private static final TopicPartition ROLLOUTS = new TopicPartition(TOPICS.rollouts().name(), 0);
  private static final TopicPartition DEAD_LETTERS =
      new TopicPartition(TOPICS.deadLetters().name(), 0);
  private static final DispatchConfig DISPATCH = new DispatchConfig(1, 0, 1, 0, 600, true);

  private final TrimBook book = new TrimBook(ROLLOUTS.topic());
  private final LedgerState ledger = new LedgerState(StepEvents.RUN_ID, 1);
  private final Log log = new Log();
  private CheckpointStore checkpoints;

  /** Topics without a record, but for some dead letters. */
  private static final class Log extends MockConsumer<byte[], byte[]> {
    private final List<String> deadLetters = new ArrayList<>(); // keys

    Log() {
      super("earliest");
      for (TopicSpec topic : TOPICS.all()) {
        for (int partition = 0; partition < topic.partitions(); partition++) {
          updateBeginningOffsets(Map.of(new TopicPartition(topic.name(), partition), 0L));
          updateEndOffsets(Map.of(new TopicPartition(topic.name(), partition), 0L));
        }
      }
    }

    @Override
    public synchronized void seek(TopicPartition partition, long offset) {
      super.seek(partition, offset);
      if (partition.equals(DEAD_LETTERS)) {
        for (int i = (int) offset; i < deadLetters.size(); i++) {
          byte[] key = deadLetters.get(i).getBytes(StandardCharsets.UTF_8);
          addRecord(new ConsumerRecord<>(partition.topic(), 0, i, key, new byte[0]));
        }
      }
    }

    void addDeadLetters(String... keys) {
      deadLetters.addAll(List.of(keys));
      updateEndOffsets(Map.of(DEAD_LETTERS, (long) deadLetters.size()));
    }
  }

  @BeforeEach
  void runSixWindows(@TempDir Path directory) throws IOException {
    checkpoints = new CheckpointStore(directory, LedgerLog.LAYOUT, 9);
    ledger.tell(book::add);
    apply(StepEvents.event(StepKind.GENESIS, -1, 0, EventHash.NONE));
    for (long window = 0; window < 6; window++) {
      apply(
          StepEvents.event(StepKind.STEP, window, window, hash(window - 1))
              .setPolicyVersionAfter(window + 1)
              .setWindow(List.of(new WindowEntry(0, window, window, 0, window)))
              .setProgress(List.of(new PartitionProgress(0, window + 1, List.of(), List.of()))));
      if (window == 3 || window == 5) {
        float[] zeros = new float[LedgerLog.LAYOUT.size()];
        OptimizerState state = new OptimizerState(zeros, zeros, zeros, window + 1);
        checkpoints.save(
            StepEvents.RUN_ID, window, ledger.lastEventHash(), ledger.policyVersion(), state);
      }
    }
  }

  private void apply(StepEvent.Builder event) {
    ledger.apply(event.build(), hash(event.getStep()));
  }

  private static String hash(long step) {
    return "%012d".formatted(step + 1);
  }

  @Test
  void oldestCheckpointSaysWhichRolloutsMayGo() {
    assertThat(cuts()).containsExactly(Map.entry(ROLLOUTS, 4L));
  }

  @Test
  void checkpointThatCannotBeReadIsNothingToRestOn() throws IOException {
    Checkpoint oldest = checkpoints.whole().get(0);
    Files.delete(checkpoints.path(oldest).resolve("second_moment.safetensors"));
    assertThat(trimmer().next(ledger)).isEmpty();
  }

  @Test
  void deadLettersGoUpToTheFirstWhoseRecordStays() {
    log.addDeadLetters(
        "rollouts-0@3",
        "rollouts-0@99999999999999999999",
        "rollouts-99999999999@0",
        "of others",
        "rollouts-0@4");
    assertThat(cuts()).containsOnly(Map.entry(ROLLOUTS, 4L), Map.entry(DEAD_LETTERS, 4L));
  }

  private Map<TopicPartition, Long> cuts() {
    Map<TopicPartition, Long> cuts = new HashMap<>();
    for (TrimmedPartition cut : trimmer().next(ledger).orElseThrow().getTrimmed()) {
      cuts.put(new TopicPartition(cut.getTopic(), cut.getPartition()), cut.getBeforeOffset());
    }
    return cuts;
  }

  private Trimmer trimmer() {
    return new Trimmer(
        settings(),
        TOPICS,
        null, // nothing is deleted
        new RecordScan(log),
        new SnapshotSearch(
            log,
            new PatientDecoder(InMemorySerde.codec(), TOPICS.snapshots().name()),
            TOPICS.snapshots().name(),
            StepEvents.RUN_ID,
            LedgerLog.LAYOUT.modelHash(),
            LedgerLog.LAYOUT.size()),
        checkpoints,
        book);
  }

  private static LearnerSettings settings() {
    return new LearnerSettings(
        RUN,
        new ModelSourceConfig("model", "cpu", 1, 0),
        PromptsConfig.defaults(),
        SamplingConfig.defaults(),
        DISPATCH,
        WindowConfig.defaults(),
        AlgorithmConfig.defaults(),
        RatioConfig.defaults(),
        OptimizerConfig.defaults(),
        LearnerConfig.defaults(),
        AuditConfig.defaults(),
        RecoveryConfig.defaults(),
        new TrimmingConfig(true, 1, 0),
        Map.of());
  }
}
