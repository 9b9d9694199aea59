package org.p3ostream.rolloutproducer.config;

import java.nio.file.Path;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Everything a producer is told.
 *
 * @param runId the run whose prompts it serves
 * @param topicPrefix put before every topic name
 * @param modelDirectory holds config.json and tokenizer.json; weights come from the log alone
 * @param device cpu or gpu:i
 * @param threads intra-op threads of the engine
 * @param producer how it runs
 */
public record ProducerSettings(
    String runId,
    String topicPrefix,
    Path modelDirectory,
    String device,
    int threads,
    ProducerConfig producer) {
  public ProducerSettings {
    if (runId.isBlank()) {
      throw new IllegalArgumentException("run.id: must not be blank");
    }
    if (!device.matches("cpu|gpu:\\d{1,3}")) {
      throw new IllegalArgumentException("model.device: '" + device + "' is not cpu or gpu:i");
    }
    if (threads < 1) {
      throw new IllegalArgumentException("model.threads: " + threads + " must be >= 1");
    }
  }

  /** The topics of the run. */
  public TopicCatalogue topics() {
    return new TopicCatalogue(topicPrefix);
  }

  /**
   * Consumer group that all producers of a run share. The run id is part of it: a producer of
   * another run that was pointed at these topics by mistake takes no prompt away from them.
   */
  public String groupId() {
    return topicPrefix + "producers." + runId;
  }

  /**
   * Unique per topic prefix and producer, so that two runs on one broker never fence each other.
   */
  public String transactionalId() {
    return producer.transactionalId().isEmpty()
        ? topicPrefix + "producer-" + producer.id()
        : producer.transactionalId();
  }
}
