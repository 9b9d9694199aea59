package org.p3ostream.deploy.clients;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Properties of Kafka clients: ours for low latency and exactly-once, then the user's over them.
 *
 * <p>A step is a few tens of milliseconds, so that every wait shows: nothing lingers, fetches
 * return with the first byte, and retries come soon (the broker refuses a new transaction for some
 * milliseconds after a commit, and the default pause of 100 ms would triple a step).
 */
final class ClientProperties {

  /** Of a reader that never waits for what is not there yet. */
  private static final int SNAPSHOT_FETCH_WAIT_MS = 10;

  private static final String RETRY_BACKOFF_MS = "5";
  private static final String RETRY_BACKOFF_MAX_MS = "500";

  /**
   * Also how long a member waits, 5 s more, for an answer to its request to join: one that reaches
   * a coordinator that has just been started may never be answered, and with the default of 5 min
   * nobody would serve its partitions so long. Members poll many times a second.
   */
  private static final String MAX_POLL_INTERVAL_MS = "30000";

  /** Room for the frame of the largest record. */
  private static final int REQUEST_OVERHEAD_BYTES = 64 * 1024;

  private final Map<String, String> user;

  /**
   * @param user properties of the configuration's {@code kafka} section
   */
  ClientProperties(Map<String, String> user) {
    this.user = Map.copyOf(user);
  }

  Map<String, Object> admin() {
    Map<String, Object> properties = new HashMap<>();
    properties.put(AdminClientConfig.RETRY_BACKOFF_MS_CONFIG, RETRY_BACKOFF_MS);
    properties.put(AdminClientConfig.RETRY_BACKOFF_MAX_MS_CONFIG, RETRY_BACKOFF_MAX_MS);
    return withUser(properties, AdminClientConfig.configNames());
  }

  /** A transactional producer of small transactions. */
  Map<String, Object> producer(String transactionalId) {
    return producer(transactionalId, Map.of());
  }

  /** A transactional producer whose transactions carry a snapshot. */
  Map<String, Object> learnerProducer(String transactionalId, SnapshotBudget snapshot) {
    return producer(transactionalId, snapshot.properties());
  }

  private Map<String, Object> producer(String transactionalId, Map<String, String> limits) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    properties.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, "10000");
    properties.put(ProducerConfig.ACKS_CONFIG, "all");
    properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    properties.put(ProducerConfig.LINGER_MS_CONFIG, "0");
    properties.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4");
    properties.put(
        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
        Integer.toString(TopicCatalogue.MAX_ROLLOUT_BYTES + REQUEST_OVERHEAD_BYTES));
    properties.put(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, RETRY_BACKOFF_MS);
    properties.put(ProducerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, RETRY_BACKOFF_MAX_MS);
    properties.putAll(limits);
    properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    properties.put(
        ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    return withUser(properties, ProducerConfig.configNames());
  }

  /**
   * A reader that looks for single versions of the weights: fetches hold little beyond what it
   * looks for, since it drops the rest. After a version from the end of the topic the consumer
   * fetches on, and whatever it asks the broker next waits until that fetch is over: half a second
   * by default, for as long as nothing new is written.
   */
  Map<String, Object> snapshotReader() {
    return reader(TopicCatalogue.MAX_SNAPSHOT_BYTES, SNAPSHOT_FETCH_WAIT_MS);
  }

  /** A consumer that assigns and seeks: no group, no commits. */
  Map<String, Object> reader() {
    return reader(TopicCatalogue.MAX_ROLLOUT_BYTES, ConsumerConfig.DEFAULT_FETCH_MAX_WAIT_MS);
  }

  private Map<String, Object> reader(int largestRecordBytes, int fetchMaxWaitMillis) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    properties.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, "1");
    properties.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, Integer.toString(fetchMaxWaitMillis));
    properties.put(
        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
        Integer.toString(largestRecordBytes + REQUEST_OVERHEAD_BYTES));
    properties.put(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, RETRY_BACKOFF_MS);
    properties.put(ConsumerConfig.RETRY_BACKOFF_MAX_MS_CONFIG, RETRY_BACKOFF_MAX_MS);
    properties.put(
        ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    properties.put(
        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    return withUser(properties, ConsumerConfig.configNames());
  }

  /** A consumer that belongs to a group; its offsets are committed by a transactional producer. */
  Map<String, Object> groupMember(String groupId) {
    Map<String, Object> properties = new HashMap<>();
    properties.put(ConsumerConfig.GROUP_ID_CONFIG, groupId);
    properties.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, "10000");
    properties.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, "1000");
    properties.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, MAX_POLL_INTERVAL_MS);
    properties.put(
        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
        CooperativeStickyAssignor.class.getName());
    Map<String, Object> merged = reader();
    properties.forEach(merged::putIfAbsent);
    return merged;
  }

  /**
   * A member of the group that shares prompts out.
   *
   * @param mostPrompts taken in hand at a time; {@code kafka.max.poll.records} overrides it
   */
  Map<String, Object> promptReader(String groupId, int mostPrompts) {
    Map<String, Object> properties = groupMember(groupId);
    properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, Integer.toString(mostPrompts));
    return properties;
  }

  private Map<String, Object> withUser(Map<String, Object> properties, Set<String> known) {
    user.forEach(
        (key, value) -> {
          if (known.contains(key) || !knownToAny(key)) {
            properties.put(key, value);
          }
        });
    return properties;
  }

  /**
   * A property of another kind of client is left out; one that no client knows may be an
   * interceptor's.
   */
  private static boolean knownToAny(String key) {
    Set<String> names = new TreeSet<>(AdminClientConfig.configNames());
    names.addAll(ProducerConfig.configNames());
    names.addAll(ConsumerConfig.configNames());
    return names.contains(key);
  }
}
