package org.p3ostream.streams.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.kafka.KafkaClientMetrics;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.edge.PatientCodec;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;
import org.p3ostream.streams.lookup.GroupLookup;
import org.p3ostream.streams.lookup.GroupRatios;
import org.p3ostream.streams.lookup.GroupView;
import org.p3ostream.streams.lookup.LogReader;
import org.p3ostream.streams.lookup.NotReadableException;
import org.p3ostream.streams.lookup.RatioLookup;
import org.p3ostream.streams.lookup.SnapshotLookup;
import org.p3ostream.streams.lookup.SnapshotView;
import org.p3ostream.streams.lookup.TokenDecoder;
import org.p3ostream.streams.lookup.TokenRatios;
import org.p3ostream.streams.server.RecordSource;

/**
 * Reads single records with a consumer of its own, made when the first is asked for: a service that
 * nobody asks pays nothing for it.
 */
final class LookupClients implements RecordSource, AutoCloseable {
  private final TopicCatalogue topics;
  private final Map<String, ?> kafka;
  private final Supplier<PatientCodec> codecs;
  private final TokenDecoder decoder;
  private final RatioLookup ratios;
  private final MeterRegistry registry;
  private final BooleanSupplier open;
  private @Nullable LogReader reader;
  private @Nullable KafkaClientMetrics meters;
  private @Nullable GroupLookup groups;
  private @Nullable SnapshotLookup snapshots;
  private boolean closed;

  /**
   * @param open whether the topics are there
   */
  LookupClients(
      TopicCatalogue topics,
      Map<String, ?> kafka,
      Supplier<PatientCodec> codecs,
      TokenDecoder decoder,
      TokenRatios ratios,
      MeterRegistry registry,
      BooleanSupplier open) {
    this.topics = topics;
    this.kafka = kafka;
    this.codecs = codecs;
    this.decoder = decoder;
    this.ratios = new RatioLookup(ratios);
    this.registry = registry;
    this.open = open;
  }

  @Override
  public synchronized Optional<GroupView> group(String rolloutsPrefix, TrainedGroup at) {
    LogReader connected = connected();
    if (groups == null) {
      groups = new GroupLookup(connected, decoder);
    }
    return groups.fetch(new TopicCatalogue(rolloutsPrefix).rollouts().name(), at);
  }

  @Override
  public synchronized GroupRatios ratios(TrainedGroup at) {
    requireOpen();
    return ratios.fetch(at);
  }

  @Override
  public synchronized List<SnapshotView> snapshots(int limit) {
    LogReader connected = connected();
    if (snapshots == null) {
      snapshots = new SnapshotLookup(connected, topics.snapshots().name());
    }
    return snapshots.newest(limit);
  }

  private LogReader connected() {
    requireOpen();
    if (reader == null) {
      KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(KafkaProperties.lookup(kafka));
      meters = new KafkaClientMetrics(consumer);
      meters.bindTo(registry);
      reader = new LogReader(consumer, codecs.get());
    }
    return reader;
  }

  private void requireOpen() {
    if (closed || !open.getAsBoolean()) {
      throw new NotReadableException("the topics of the run are not there yet");
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (meters != null) {
      meters.close();
    }
    if (reader != null) {
      reader.close();
    }
  }
}
