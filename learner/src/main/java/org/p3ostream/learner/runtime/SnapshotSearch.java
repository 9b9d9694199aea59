package org.p3ostream.learner.runtime;

import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.ledger.PatientPoll;
import org.p3ostream.schemas.snapshot.PolicyWeights;
import org.p3ostream.schemas.snapshot.SnapshotEvent;
import org.p3ostream.schemas.snapshot.SnapshotFollower;
import org.p3ostream.schemas.topic.RecordKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds single versions in the one partition of the snapshots topic. They lie there in order and
 * take up about the same number of offsets each, so a version is read from where it should begin;
 * if it begins earlier, from twice as far back, and so on to the beginning of the topic. Records of
 * other versions are not decoded.
 */
final class SnapshotSearch {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotSearch.class);

  private final Consumer<byte[], byte[]> consumer;
  private final PatientDecoder decoder;
  private final TopicPartition partition;
  private final SnapshotFollower follower;
  private @Nullable PolicyWeights loaded;
  private long knownVersion;
  private long knownOffset; // where the known version begins, or before
  private long manifestOffset; // of the version loaded last

  /**
   * Creates a search; nothing is read yet.
   *
   * @param consumer assigned by this class, read_committed, no group
   * @param parameterCount P
   */
  SnapshotSearch(
      Consumer<byte[], byte[]> consumer,
      PatientDecoder decoder,
      String topic,
      String runId,
      String modelHash,
      int parameterCount) {
    this.consumer = consumer;
    this.decoder = decoder;
    this.partition = new TopicPartition(topic, 0);
    this.follower =
        new SnapshotFollower(runId, modelHash, parameterCount, weights -> loaded = weights);
  }

  /**
   * Weights of a version, [P].
   *
   * @throws BehaviorSnapshotMissingException if the topic does not hold it whole
   * @throws IllegalStateException if the broker goes away for long meanwhile
   */
  float[] find(long version) {
    consumer.assign(List.of(partition));
    long beginning = consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, beginning);
    long size = follower.offsetsPerVersion();
    long expected = Math.min(end, knownOffset + (version - knownVersion) * size);
    for (long back = size; ; back *= 2) {
      long start = Math.max(beginning, expected - back);
      LOG.debug("looking for version {} in {} from {}", version, partition, start);
      Pass pass = new Pass(version, start, end);
      pass.run();
      PolicyWeights found = loaded;
      if (found != null) {
        knownVersion = version;
        knownOffset = pass.firstOffset;
        return found.weights();
      }
      if (pass.sawEarlier || start == beginning) {
        throw new BehaviorSnapshotMissingException(version, pass.fault, pass.damaged);
      }
    }
  }

  /**
   * Where a version begins.
   *
   * @throws BehaviorSnapshotMissingException if the topic does not hold it whole
   */
  long firstOffset(long version) {
    find(version);
    return knownOffset;
  }

  /** Offset of the manifest of a version; empty if the topic does not hold the version whole. */
  OptionalLong findManifest(long version) {
    try {
      find(version);
      return OptionalLong.of(manifestOffset);
    } catch (BehaviorSnapshotMissingException e) {
      LOG.warn("no manifest to name in prompts: {}", e.getMessage());
      return OptionalLong.empty();
    }
  }

  /** Reads forward from one place until the version is loaded, passed, or not there. */
  private final class Pass {
    private final long version;
    private final long end;
    private boolean sawEarlier; // then the version does not begin before the start
    private long firstOffset = -1;
    private String fault = partition + " does not hold it";
    private boolean damaged;

    Pass(long version, long start, long end) {
      this.version = version;
      this.end = end;
      loaded = null;
      consumer.seek(partition, start);
    }

    void run() {
      PatientPoll records = new PatientPoll(consumer, partition);
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> record : records.next()) {
          OptionalLong key = RecordKeys.number(record.key());
          if (key.isEmpty() || record.value() == null) {
            continue;
          }
          if (key.getAsLong() > version) {
            return;
          }
          if (key.getAsLong() < version) {
            sawEarlier = true;
          } else {
            read(record);
          }
          if (loaded != null) {
            manifestOffset = record.offset();
            return;
          }
        }
      }
    }

    private void read(ConsumerRecord<byte[], byte[]> record) {
      firstOffset = firstOffset < 0 ? record.offset() : firstOffset;
      SnapshotEvent event = follower.accept(version, decoder.decode(record.value())).orElse(null);
      if (event instanceof SnapshotEvent.Corrupt corrupt) {
        fault = corrupt.cause() + ", at " + partition + "@" + record.offset();
        damaged = true;
      } else if (event instanceof SnapshotEvent.Refused refused) {
        fault = refused.cause() + ", at " + partition + "@" + record.offset();
        damaged = true;
      }
    }
  }
}
