package org.p3ostream.rolloutproducer.snapshot;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.p3ostream.schemas.snapshot.SnapshotEvent;
import org.p3ostream.schemas.snapshot.SnapshotFollower;
import org.p3ostream.schemas.topic.RecordKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the one partition of the snapshots topic. Starts close enough to its end to find the newest
 * versions, and at its beginning if that finds none; goes back when {@link SnapshotRecall} says so,
 * to where a prompt says that the version lies or else to where it should lie: versions are there
 * in order and take up about the same number of offsets each. Records of versions that nobody needs
 * are not decoded.
 */
public final class SnapshotLog {
  private static final Logger log = LoggerFactory.getLogger(SnapshotLog.class);

  /** Told of every event, after cache and recall. */
  public interface Listener {
    void observed(SnapshotEvent event);
  }

  private final Consumer<byte[], byte[]> consumer;
  private final RecordCodec codec;
  private final TopicPartition partition;
  private final long offsetsPerVersion;
  private final SnapshotFollower follower;
  private final VersionCache versions;
  private final SnapshotRecall recall = new SnapshotRecall();
  private final Listener listener;
  private final ArrayDeque<ConsumerRecord<byte[], byte[]>> unread = new ArrayDeque<>();
  private boolean mayHaveSkippedSome;
  private SnapshotRecall.@Nullable Reread due; // decided, and not done yet
  private long knownVersion = -1; // the newest that was loaded
  private long knownOffset; // of its manifest

  /**
   * Creates a reader; nothing is read yet.
   *
   * @param consumer assigned by this class, read_committed, no group
   * @param versions filled by {@code follower}
   */
  public SnapshotLog(
      Consumer<byte[], byte[]> consumer,
      RecordCodec codec,
      String topic,
      SnapshotFollower follower,
      VersionCache versions,
      Listener listener) {
    this.consumer = consumer;
    this.codec = codec;
    this.partition = new TopicPartition(topic, 0);
    this.offsetsPerVersion = follower.offsetsPerVersion();
    this.follower = follower;
    this.versions = versions;
    this.listener = listener;
  }

  /** The versions held. */
  public VersionCache versions() {
    return versions;
  }

  /** Takes the partition, near its end. */
  public void start() {
    consumer.assign(List.of(partition));
    long beginning = beginningOffset();
    long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, beginning);
    long near = end - (versions().versionsKept() + 2) * offsetsPerVersion;
    mayHaveSkippedSome = near > beginning;
    consumer.seek(partition, Math.max(beginning, near));
  }

  /**
   * Asks the broker something, as polls return nothing when it is away.
   *
   * @throws TimeoutException if it gives no answer
   */
  public void probe(Duration timeout) {
    consumer.endOffsets(List.of(partition), timeout);
  }

  /**
   * Reads on for at most {@code timeout}.
   *
   * @throws TimeoutException if the broker gives no answer; the next call goes on
   * @throws RegistryUnavailableException if a record could not be decoded yet; the next call goes
   *     on with it
   */
  public void poll(Duration timeout) {
    if (unread.isEmpty()) {
      consumer.poll(timeout).forEach(unread::add);
    }
    while (!unread.isEmpty()) {
      read(unread.getFirst());
      unread.removeFirst();
    }
    if (consumer.currentLag(partition).orElse(-1) == 0) {
      reachedEnd();
    }
  }

  private void read(ConsumerRecord<byte[], byte[]> record) {
    OptionalLong key = RecordKeys.number(record.key());
    if (key.isEmpty() || record.value() == null) {
      log.warn(
          "Skipped the record at {}@{}: it has no version or no value", partition, record.offset());
      return;
    }
    long version = key.getAsLong();
    if (versions().hasUseFor(version)) {
      follower
          .accept(version, codec.decode(record.topic(), record.value()))
          .ifPresent(event -> tell(event, record.offset()));
    }
  }

  private void tell(SnapshotEvent event, long offset) {
    if (event instanceof SnapshotEvent.Corrupt corrupt) {
      log.warn(
          "Snapshot of version {} at {}@{} is unusable, keeping version {}: {}",
          corrupt.version(),
          partition,
          offset,
          heldVersion(),
          corrupt.cause());
    } else if (event instanceof SnapshotEvent.Refused refused) {
      log.warn(
          "Refused the snapshot of version {} at {}@{}: {}",
          refused.version(),
          partition,
          offset,
          refused.cause());
    }
    if (event instanceof SnapshotEvent.Loaded loaded && loaded.version() >= knownVersion) {
      knownVersion = loaded.version();
      knownOffset = offset;
    }
    recall.observe(event);
    listener.observed(event);
  }

  private void reachedEnd() {
    recall.reachedEnd();
    if (mayHaveSkippedSome && versions().newest().isEmpty()) {
      log.info("No usable snapshot near the end of {}, reading all of it", partition);
      consumer.seek(partition, beginningOffset());
    }
    mayHaveSkippedSome = false;
  }

  /**
   * Goes back for a version if that is due.
   *
   * @param missing exact version that a prompt asks for and the cache does not hold
   * @param manifestOffset where that prompt says its manifest lies; empty if it does not
   * @param nowMs milliseconds on any clock that does not go back
   * @throws TimeoutException if the broker gives no answer; the next call goes on
   */
  public void recallIfDue(OptionalLong missing, OptionalLong manifestOffset, long nowMs) {
    OptionalLong place = manifestOffset.isPresent() ? manifestOffset : expectedOffset(missing);
    if (due == null) {
      due = recall.next(missing, place, nowMs).orElse(null);
    }
    if (due != null) {
      goBack(due);
      due = null;
    }
  }

  /** A version before where the manifest should lie: learners that died leave offsets unused. */
  private OptionalLong expectedOffset(OptionalLong version) {
    return version.isEmpty() || knownVersion < 0
        ? OptionalLong.empty()
        : OptionalLong.of(
            knownOffset - (knownVersion - version.getAsLong() + 1) * offsetsPerVersion);
  }

  private void goBack(SnapshotRecall.Reread reread) {
    long beginning = beginningOffset();
    long from =
        reread.manifestOffset().isPresent()
            ? Math.max(beginning, reread.manifestOffset().getAsLong() - offsetsPerVersion)
            : beginning;
    log.info(
        "Reading {} again from {} for version {}, attempt {}",
        partition,
        from,
        reread.version(),
        reread.attempt());
    unread.clear();
    consumer.seek(partition, from);
  }

  private long beginningOffset() {
    return consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
  }

  private String heldVersion() {
    return versions().newest().map(weights -> Long.toString(weights.version())).orElse("none");
  }
}
