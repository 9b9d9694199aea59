package org.p3ostream.streams.lookup;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.p3ostream.streams.edge.PatientCodec;

/** Reads what lies at some place of the log and nothing else. */
public final class LogReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(100);

  /** How long whoever asks is kept waiting for broker and registry. */
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Consumer<byte[], byte[]> consumer;
  private final PatientCodec codec;

  /**
   * @param consumer read_committed, without a group; closed with this
   * @param codec this reader's own; closed with this
   */
  public LogReader(Consumer<byte[], byte[]> consumer, PatientCodec codec) {
    this.consumer = consumer;
    this.codec = codec;
  }

  /**
   * The record at an offset; empty if there is none, because it was trimmed for instance, or if it
   * cannot be decoded.
   *
   * @throws NotReadableException if the broker does not answer in time
   */
  Optional<SpecificRecord> at(TopicPartition partition, long offset) {
    SpecificRecord[] found = new SpecificRecord[1];
    read(
        partition,
        offset,
        offset + 1,
        (at, record) -> {
          if (at == offset) {
            found[0] = record;
          }
        });
    return Optional.ofNullable(found[0]);
  }

  /**
   * Offsets of the oldest record and behind the newest visible one.
   *
   * @throws NotReadableException if the broker does not answer in time
   */
  Map.Entry<Long, Long> span(TopicPartition partition) {
    List<TopicPartition> one = List.of(partition);
    try {
      return Map.entry(
          consumer.beginningOffsets(one, PATIENCE).getOrDefault(partition, 0L),
          consumer.endOffsets(one, PATIENCE).getOrDefault(partition, 0L));
    } catch (TimeoutException e) {
      throw notRead(partition);
    }
  }

  /**
   * Hands over the records from {@code from} to before {@code end} that can be decoded.
   *
   * @throws NotReadableException if broker or registry do not answer in time
   */
  void read(TopicPartition partition, long from, long end, BiConsumer<Long, SpecificRecord> take) {
    consumer.assign(List.of(partition));
    consumer.seek(partition, from);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    try {
      while (consumer.position(partition, PATIENCE) < end) {
        for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
          if (record.offset() < end
              && codec.decode(record.topic(), record.value())
                  instanceof Decoded.Accepted accepted) {
            take.accept(record.offset(), accepted.record());
          }
        }
        if (System.nanoTime() > deadline) {
          throw notRead(partition);
        }
      }
    } catch (OffsetOutOfRangeException e) {
      return; // trimmed meanwhile
    } catch (TimeoutException | RegistryUnavailableException e) {
      throw notRead(partition);
    } finally {
      consumer.unsubscribe();
    }
  }

  private static NotReadableException notRead(TopicPartition partition) {
    return new NotReadableException(
        partition + " could not be read within " + PATIENCE.toSeconds() + " s");
  }

  @Override
  public void close() {
    codec.stopWaiting();
    consumer.close();
    codec.close();
  }
}
