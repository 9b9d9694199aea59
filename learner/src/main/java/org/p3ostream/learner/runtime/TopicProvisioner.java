package org.p3ostream.learner.runtime;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the topics of a run that are missing and refuses ones of another shape. */
final class TopicProvisioner {
  private static final Logger LOG = LoggerFactory.getLogger(TopicProvisioner.class);

  private final Admin admin;
  private final short replication;

  TopicProvisioner(Admin admin, short replication) {
    this.admin = admin;
    this.replication = replication;
  }

  void provision(TopicCatalogue topics) {
    Set<String> existing = get(admin.listTopics().names());
    List<TopicSpec> missing =
        topics.all().stream().filter(topic -> !existing.contains(topic.name())).toList();
    for (TopicSpec topic : missing) {
      create(topic);
    }
    if (!missing.isEmpty()) {
      LOG.info("created topics {}", missing.stream().map(TopicSpec::name).toList());
    }
    requireShapes(topics.all().stream().filter(topic -> existing.contains(topic.name())).toList());
  }

  private void create(TopicSpec topic) {
    NewTopic request =
        new NewTopic(topic.name(), topic.partitions(), replication).configs(topic.settings());
    try {
      get(admin.createTopics(List.of(request)).all());
    } catch (TopicExistsException e) {
      LOG.debug("topic {} was created by someone else meanwhile", topic.name());
    }
  }

  private void requireShapes(List<TopicSpec> existing) {
    List<String> names = existing.stream().map(TopicSpec::name).toList();
    Map<String, TopicDescription> found = get(admin.describeTopics(names).allTopicNames());
    for (TopicSpec topic : existing) {
      TopicDescription description = found.get(topic.name());
      int partitions = description == null ? 0 : description.partitions().size();
      if (partitions != topic.partitions()) {
        throw new IllegalStateException(
            "topic %s has %d partitions, a run needs %d: choose another run.topicPrefix"
                .formatted(topic.name(), partitions, topic.partitions()));
      }
    }
  }

  private static <T> T get(org.apache.kafka.common.KafkaFuture<T> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException cause ? cause : new KafkaException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException("interrupted while creating topics", e);
    }
  }
}
