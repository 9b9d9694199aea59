package org.p3ostream.deploy.experiment.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;

/** The ledger of a run as an independent consumer sees it. Confined to one thread. */
final class RunLedger {

  private final Consumer<byte[], byte[]> consumer;
  private final RecordCodec codec;
  private final TopicPartition partition;
  private final List<StepFigures> steps = new ArrayList<>();
  private long firstOffset = -1;
  private long lastOffset = -1;
  private @Nullable StepEvent first;
  private @Nullable StepEvent last;

  /** Takes over the assignment of {@code consumer}. */
  RunLedger(Consumer<byte[], byte[]> consumer, RecordCodec codec, String topic) {
    this.consumer = consumer;
    this.codec = codec;
    this.partition = new TopicPartition(topic, 0);
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
  }

  /** Takes what is committed by now; returns early if there is something. */
  void poll(Duration timeout) {
    for (ConsumerRecord<byte[], byte[]> record : consumer.poll(timeout)) {
      if (codec.decode(record.topic(), record.value()) instanceof Decoded.Accepted accepted
          && accepted.record() instanceof StepEvent event) {
        take(event, record.offset());
      }
    }
  }

  /** Takes everything that is committed at the time of the call. The topic must exist. */
  void readToEnd(Duration poll) {
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
    while (consumer.position(partition) < end) {
      poll(poll);
    }
  }

  private void take(StepEvent event, long offset) {
    if (first == null) {
      first = event;
      firstOffset = offset;
    }
    last = event;
    lastOffset = offset;
    if (event.getKind() == StepKind.STEP || event.getKind() == StepKind.NO_OP) {
      steps.add(StepFigures.of(event, offset));
    }
  }

  /** Windows that were passed. */
  List<StepFigures> steps() {
    return List.copyOf(steps);
  }

  /** How many of them. */
  int stepsPassed() {
    return steps.size();
  }

  /** The newest window that was passed; null before the first. */
  @Nullable StepFigures newest() {
    return steps.isEmpty() ? null : steps.get(steps.size() - 1);
  }

  long firstOffset() {
    return firstOffset;
  }

  long lastOffset() {
    return lastOffset;
  }

  /** Hash of the training-relevant configuration; empty before GENESIS. */
  String configHash() {
    return first == null ? "" : first.getConfigHash();
  }

  /** Digest of the newest weights; empty before GENESIS. */
  String weightsSha256() {
    return last == null ? "" : last.getWeightsSha256();
  }

  /** From the first event to the last one, seconds. */
  double trainSeconds() {
    return first == null || last == null
        ? 0
        : (last.getCommittedAt() - first.getCommittedAt()) / 1e3;
  }
}
