package org.p3ostream.rolloutproducer.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.p3ostream.schemas.topic.TopicSpec;

/** Looks whether topics exist that somebody else creates. */
final class TopicWait {

  private final Admin admin;
  private final List<TopicSpec> topics;

  TopicWait(Admin admin, List<TopicSpec> topics) {
    this.admin = admin;
    this.topics = List.copyOf(topics);
  }

  /**
   * Names of the topics that do not exist yet.
   *
   * @throws IllegalStateException if one has another number of partitions than the run needs
   * @throws KafkaException if the broker could not be asked
   */
  List<String> missing() throws InterruptedException {
    Map<String, KafkaFuture<TopicDescription>> answers =
        admin.describeTopics(topics.stream().map(TopicSpec::name).toList()).topicNameValues();
    List<String> missing = new ArrayList<>();
    for (TopicSpec topic : topics) {
      try {
        check(topic, Objects.requireNonNull(answers.get(topic.name())).get());
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
          throw new KafkaException("could not ask for topic " + topic.name(), e.getCause());
        }
        missing.add(topic.name());
      }
    }
    return missing;
  }

  private static void check(TopicSpec expected, TopicDescription found) {
    int partitions = found.partitions().size();
    if (partitions != expected.partitions()) {
      throw new IllegalStateException(
          "topic %s has %d partitions, a run needs %d"
              .formatted(expected.name(), partitions, expected.partitions()));
    }
  }
}
