package org.p3ostream.streams.topology;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.avro.specific.SpecificRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.TestInputTopic;
import org.apache.kafka.streams.TestOutputTopic;
import org.apache.kafka.streams.TopologyTestDriver;
import org.apache.kafka.streams.state.ReadOnlyKeyValueStore;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.edge.PatientCodec;
import org.p3ostream.streams.fixture.LoopbackRegistry;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.query.RunQueries;
import org.p3ostream.streams.query.StateReader;

/**
 * The whole topology on the shipped serde, without a broker. Each record is sent 1 ms after the one
 * before.
 */
public final class TopologyUnderTest implements AutoCloseable {
  private static final TopicCatalogue TOPICS = new TopicCatalogue("p3o.");

  /** Name and value of a point, with the step it belongs to. */
  record Value(String name, long step, double value) {
    static Value of(Metric metric, long step, double value) {
      return new Value(metric.metricName(), step, value);
    }
  }

  private final LoopbackRegistry registry = new LoopbackRegistry();
  private final RecordCodec codec = registry.codec();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final TopologyTestDriver driver;
  private final TestInputTopic<byte[], byte[]> rollouts;
  private final TestInputTopic<byte[], byte[]> steps;
  private final TestInputTopic<byte[], byte[]> deadLetters;
  private final TestOutputTopic<String, byte[]> metrics;
  private long sentAt = Records.NOW;
  private long answers; // of a broker that is always there

  public TopologyUnderTest() {
    Properties properties = new Properties();
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, "p3o.metrics");
    properties.put(StreamsConfig.STATE_DIR_CONFIG, "target/topology-test-state");
    PatientCodec patient = new PatientCodec(registry.codec(), Duration.ZERO, Duration.ZERO);
    driver =
        new TopologyTestDriver(
            new MetricsTopology(TOPICS, Records.RUN, patient, meters, true, () -> answers).build(),
            properties);
    ByteArraySerializer bytes = new ByteArraySerializer();
    rollouts = driver.createInputTopic(TOPICS.rollouts().name(), bytes, bytes);
    steps = driver.createInputTopic(TOPICS.steps().name(), bytes, bytes);
    deadLetters = driver.createInputTopic(TOPICS.deadLetters().name(), bytes, bytes);
    metrics =
        driver.createOutputTopic(
            TOPICS.metrics().name(), new StringDeserializer(), new ByteArrayDeserializer());
  }

  public void rollout(SpecificRecord record) {
    rolloutBytes(codec.encode(TOPICS.rollouts().name(), record));
  }

  void rolloutBytes(byte[] value) {
    rollouts.pipeInput(new byte[0], value, sent());
  }

  /** Every other test sends a key, this does not. */
  void rolloutWithoutKey(SpecificRecord record) {
    byte[] value = codec.encode(TOPICS.rollouts().name(), record);
    rollouts.pipeInput(null, value, sent());
  }

  public void step(SpecificRecord record) {
    stepBytes(codec.encode(TOPICS.steps().name(), record));
  }

  void stepBytes(byte[] value) {
    steps.pipeInput(new byte[0], value, sent());
  }

  void deadLetter(SpecificRecord record) {
    deadLetterBytes(codec.encode(TOPICS.deadLetters().name(), record));
  }

  void deadLetterBytes(byte[] value) {
    deadLetters.pipeInput(new byte[0], value, sent());
  }

  private Instant sent() {
    return Instant.ofEpochMilli(sentAt++);
  }

  /** Lets the next record be sent at {@code time}, milliseconds since the epoch. */
  public void clock(long time) {
    sentAt = time;
  }

  /** What is asked over HTTP. */
  public RunQueries queries(Clock clock) {
    return new RunQueries(
        new StateReader() {
          @Override
          public <K, V> ReadOnlyKeyValueStore<K, V> store(String name) {
            return driver.getKeyValueStore(name);
          }
        },
        clock);
  }

  /** Lets the clock on the wall go on while nothing comes. */
  public void passTime(Duration duration) {
    for (Duration left = duration;
        left.compareTo(Duration.ZERO) > 0;
        left = left.minus(WindowAccounting.TICK)) {
      answers++;
      driver.advanceWallClockTime(WindowAccounting.TICK);
    }
  }

  /** Points written since the last call, of these metrics only. */
  List<Value> values(Metric... wanted) {
    List<Value> values = new ArrayList<>();
    for (MetricPoint point : points()) {
      if (List.of(wanted).contains(Metric.named(point.getName()).orElseThrow())) {
        values.add(new Value(point.getName(), point.getStep(), point.getValue()));
      }
    }
    return values;
  }

  /**
   * All points written since the last call, once nothing has come for as long as complete events
   * wait; the key of each is its name.
   */
  List<MetricPoint> points() {
    passTime(WindowAccounting.QUIET);
    List<MetricPoint> points = new ArrayList<>();
    for (KeyValue<String, byte[]> record : metrics.readKeyValuesToList()) {
      Decoded decoded = codec.decode(TOPICS.metrics().name(), record.value);
      MetricPoint point = (MetricPoint) ((Decoded.Accepted) decoded).record();
      if (!point.getName().equals(record.key)) {
        throw new AssertionError("key " + record.key + " of point " + point);
      }
      if (!isNoDeadLetter(point)) {
        points.add(point);
      }
    }
    return points;
  }

  /** Every reason is written once at the beginning; tests are about those that occur. */
  private static boolean isNoDeadLetter(MetricPoint point) {
    return point.getName().equals(Metric.DEAD_LETTERS.metricName()) && point.getValue() == 0;
  }

  /** Entries in a store. */
  long stored(String store) {
    return driver.getKeyValueStore(store).approximateNumEntries();
  }

  double passedOver(String reason) {
    return meters.find(PassedOver.METER).tag("reason", reason).counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  @Override
  public void close() {
    driver.close();
    codec.close();
    registry.close();
  }
}
