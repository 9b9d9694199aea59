package org.p3ostream.streams.runtime;

import static org.apache.kafka.streams.StreamsConfig.consumerPrefix;
import static org.apache.kafka.streams.StreamsConfig.producerPrefix;

import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.streams.StreamsConfig;
import org.p3ostream.streams.config.StreamsSettings;

/**
 * Client properties: defaults of this service, over them what the configuration passes through,
 * over that what correctness rests on.
 */
final class KafkaProperties {

  /** A batch that is larger is fetched all the same, alone. */
  private static final int LOOKUP_FETCH_BYTES = 64 * 1024;

  /**
   * Each commit is a transaction over some twenty partitions and wakes whoever reads the metrics: a
   * tenth of a second, the default of exactly-once, costs a broker beside a learner more than
   * anybody can see.
   */
  private static final int COMMIT_INTERVAL_MS = 500;

  private KafkaProperties() {}

  /** Of the topology. */
  static Properties streams(StreamsSettings settings, Map<String, ?> passedThrough) {
    Properties properties = new Properties();
    properties.put(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, COMMIT_INTERVAL_MS);
    properties.put(StreamsConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    properties.put(producerPrefix(ProducerConfig.COMPRESSION_TYPE_CONFIG), "lz4");
    properties.put(consumerPrefix(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG), 10_000);
    properties.putAll(passedThrough);
    properties.put(StreamsConfig.APPLICATION_ID_CONFIG, settings.applicationId());
    properties.put(StreamsConfig.STATE_DIR_CONFIG, settings.streams().stateDirectory());
    properties.put(StreamsConfig.REPLICATION_FACTOR_CONFIG, settings.streams().replicationFactor());
    properties.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    properties.put(StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG, FailOnSendError.class);
    // One thread: one codec, and one transaction over all tasks, which keeps facts in order.
    properties.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 1);
    properties.put(consumerPrefix(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG), "earliest");
    return properties;
  }

  /** Of the reader beside the topology: no group, committed records only. */
  static Map<String, Object> follower(Map<String, ?> passedThrough) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, "p3o-log-follower");
    properties.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    properties.putAll(passedThrough);
    properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
    return properties;
  }

  /** Of the reader of single records: as the follower, with little read beyond what is wanted. */
  static Map<String, Object> lookup(Map<String, ?> passedThrough) {
    Map<String, Object> properties = follower(passedThrough);
    if (!passedThrough.containsKey(CommonClientConfigs.CLIENT_ID_CONFIG)) {
      properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, "p3o-log-lookup");
    }
    properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, LOOKUP_FETCH_BYTES);
    return properties;
  }

  /** Of the client that waits for topics. */
  static Map<String, Object> admin(Map<String, ?> passedThrough) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(CommonClientConfigs.CLIENT_ID_CONFIG, "p3o-topic-gate");
    properties.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 2_000);
    properties.put(ConsumerConfig.ENABLE_METRICS_PUSH_CONFIG, false);
    properties.putAll(passedThrough);
    return properties;
  }
}
