package org.p3ostream.schemas.topic;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * All topics of one run. One prefix is one run.
 *
 * @param prefix put before every topic name, for instance {@code p3o.}
 */
public record TopicCatalogue(String prefix) {

  /** Largest record of `rollouts` and of the clients that touch it, bytes. */
  public static final int MAX_ROLLOUT_BYTES = 16 * 1024 * 1024;

  /** Largest record of `snapshots`, bytes: a chunk of 1 MiB with room for its frame. */
  public static final int MAX_SNAPSHOT_BYTES = 2 * 1024 * 1024;

  private static final Map<String, String> KEPT =
      Map.of("cleanup.policy", "delete", "retention.ms", "-1", "compression.type", "lz4");

  public TopicCatalogue {
    if (!prefix.matches("[A-Za-z0-9._-]{0,200}")) {
      throw new IllegalArgumentException(
          "run.topicPrefix: '" + prefix + "' may hold only letters, digits, '.', '_' and '-'");
    }
  }

  /** Prompts dispatched by the learner, keyed by group id. */
  public TopicSpec prompts() {
    return new TopicSpec(prefix + "prompts", 8, KEPT);
  }

  /** Rollout groups, keyed by group id. */
  public TopicSpec rollouts() {
    return new TopicSpec(prefix + "rollouts", 4, withMaxMessageBytes(MAX_ROLLOUT_BYTES));
  }

  /**
   * Snapshot chunks and manifests in one partition, keyed by version: manifest-last is an order.
   */
  public TopicSpec snapshots() {
    return new TopicSpec(prefix + "snapshots", 1, withMaxMessageBytes(MAX_SNAPSHOT_BYTES));
  }

  /** The ledger, keyed by step. */
  public TopicSpec steps() {
    return new TopicSpec(prefix + "steps", 1, KEPT);
  }

  /** Metric points written by streams, keyed by metric name. */
  public TopicSpec metrics() {
    return new TopicSpec(prefix + "metrics", 4, KEPT);
  }

  /** Coordinates and causes of records that were not trained on. */
  public TopicSpec deadLetters() {
    return new TopicSpec(prefix + "dead-letters", 1, KEPT);
  }

  /** Every topic of the run. */
  public List<TopicSpec> all() {
    return List.of(prompts(), rollouts(), snapshots(), steps(), metrics(), deadLetters());
  }

  private static Map<String, String> withMaxMessageBytes(int bytes) {
    Map<String, String> settings = new HashMap<>(KEPT);
    settings.put("max.message.bytes", Integer.toString(bytes));
    return settings;
  }
}
