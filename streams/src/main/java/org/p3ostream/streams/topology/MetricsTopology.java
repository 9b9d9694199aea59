package org.p3ostream.streams.topology;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.KStream;
import org.apache.kafka.streams.kstream.Named;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.api.ProcessorSupplier;
import org.apache.kafka.streams.state.StoreBuilder;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.edge.DecodedSerde;
import org.p3ostream.streams.edge.MetricPointSerde;
import org.p3ostream.streams.edge.PatientCodec;
import org.p3ostream.streams.metric.StepMetricPoints;

/** Builds the topology; the package describes it. */
public final class MetricsTopology {
  private final TopicCatalogue topics;
  private final String runId;
  private final PatientCodec codec;
  private final PassedOver passedOver;
  private final boolean publishes;
  private final LongSupplier answers;

  /**
   * @param codec used by the one stream thread that runs the topology
   * @param registry gets the count of records passed over
   * @param publishes whether points are written to {@code metrics}, or only state is kept
   * @param answers of brokers to the reader of the topology so far: while there are none, that
   *     nothing comes says nothing
   */
  public MetricsTopology(
      TopicCatalogue topics,
      String runId,
      PatientCodec codec,
      MeterRegistry registry,
      boolean publishes,
      LongSupplier answers) {
    this.topics = topics;
    this.runId = runId;
    this.codec = codec;
    this.passedOver = new PassedOver(registry);
    this.publishes = publishes;
    this.answers = answers;
  }

  /** Names of the state stores. */
  public static List<String> stores() {
    return Stream.concat(
            TopologyStores.ofAccounting().stream(), TopologyStores.ofDeadLetters().stream())
        .map(StoreBuilder::name)
        .toList();
  }

  public Topology build() {
    StreamsBuilder builder = new StreamsBuilder();
    KStream<Long, StepEvent> ledger =
        source(builder, topics.steps().name(), "steps")
            .process(() -> new LedgerReading(runId, passedOver), Named.as("read-ledger"));
    KStream<String, Fact> rollouts =
        source(builder, topics.rollouts().name(), "rollouts")
            .process(() -> new RolloutReading(runId, passedOver), Named.as("read-rollouts"));

    KStream<String, MetricPoint> stepMetrics =
        ledger.flatMap((ledgerOffset, event) -> points(event), Named.as("step-metrics"));
    sink(stepMetrics, "write-step-metrics");

    KStream<String, MetricPoint> windowMetrics =
        rollouts
            .merge(ledger.process(LedgerFacts::new, Named.as("ledger-facts")), Named.as("facts"))
            .repartition(inOneOrder())
            .process(new Accounting(), Named.as("window-accounting"));
    sink(windowMetrics, "write-window-metrics");

    KStream<String, MetricPoint> deadLetterMetrics =
        source(builder, topics.deadLetters().name(), "dead-letters")
            .process(new DeadLetters(), Named.as("dead-letter-accounting"));
    sink(deadLetterMetrics, "write-dead-letter-metrics");
    return builder.build();
  }

  private KStream<byte[], Decoded> source(StreamsBuilder builder, String topic, String name) {
    Serde<byte[]> keys = Serdes.ByteArray();
    return builder.stream(
        topic,
        Consumed.with(keys, new DecodedSerde(codec))
            .withTimestampExtractor(new SentTime())
            .withName(name));
  }

  private void sink(KStream<String, MetricPoint> points, String name) {
    if (!publishes) {
      return;
    }
    points.to(
        topics.metrics().name(),
        Produced.with(Serdes.String(), new MetricPointSerde(codec)).withName(name));
  }

  private static Iterable<KeyValue<String, MetricPoint>> points(StepEvent event) {
    return StepMetricPoints.of(event).stream()
        .map(point -> KeyValue.pair(point.getName(), point))
        .toList();
  }

  private static Repartitioned<String, Fact> inOneOrder() {
    return Repartitioned.with(Serdes.String(), new JsonSerde<>(Fact.class))
        .withName("facts")
        .withNumberOfPartitions(1);
  }

  /** The accounting with the stores it owns. */
  private final class Accounting implements ProcessorSupplier<String, Fact, String, MetricPoint> {
    @Override
    public WindowAccounting get() {
      return new WindowAccounting(runId, topics.rollouts().partitions(), answers);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
      return TopologyStores.ofAccounting();
    }
  }

  /** The counting of dead letters with the stores it owns. */
  private final class DeadLetters
      implements ProcessorSupplier<byte[], Decoded, String, MetricPoint> {
    @Override
    public DeadLetterAccounting get() {
      return new DeadLetterAccounting(runId, passedOver);
    }

    @Override
    public Set<StoreBuilder<?>> stores() {
      return TopologyStores.ofDeadLetters();
    }
  }
}
