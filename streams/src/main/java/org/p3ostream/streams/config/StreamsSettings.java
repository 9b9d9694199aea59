package org.p3ostream.streams.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Everything the metrics service is told.
 *
 * @param runId run whose log is read; events of another run are passed over and counted
 * @param topicPrefix put before every topic name
 * @param streams how the service runs
 * @param runSteps steps that the learner is to make; null if that is not known
 */
public record StreamsSettings(
    String runId, String topicPrefix, StreamsConfig streams, @Nullable Long runSteps) {
  private static final String APPLICATION = "metrics-v2";

  public StreamsSettings {
    if (runId.isBlank()) {
      throw new IllegalArgumentException("run.id: '" + runId + "' must not be blank");
    }
    new TopicCatalogue(topicPrefix); // names run.topicPrefix and its rule
  }

  /** Without a known end of the run. */
  public StreamsSettings(String runId, String topicPrefix, StreamsConfig streams) {
    this(runId, topicPrefix, streams, null);
  }

  public static StreamsSettings defaults() {
    return new StreamsSettings("p3o", "p3o.", StreamsConfig.defaults());
  }

  /** Topics of the run. */
  public TopicCatalogue topics() {
    return new TopicCatalogue(topicPrefix);
  }

  /**
   * The configured application id or the one derived from the topic prefix. Its number is raised
   * when the state of an earlier program cannot be read: the new one begins at the log's beginning.
   */
  public String applicationId() {
    String configured = streams.applicationId();
    return configured == null ? topicPrefix + APPLICATION : configured;
  }

  /** Whether the application id is another than the one derived. */
  public boolean hasOwnApplicationId() {
    return streams.applicationId() != null
        && !streams.applicationId().equals(topicPrefix + APPLICATION);
  }

  /** See {@link StreamsConfig#clientTimeoutSeconds()}. */
  public Duration clientTimeout() {
    return Duration.ofSeconds(streams.clientTimeoutSeconds());
  }
}
