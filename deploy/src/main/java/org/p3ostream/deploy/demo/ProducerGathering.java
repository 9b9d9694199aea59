package org.p3ostream.deploy.demo;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ConsumerGroupDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.GroupState;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Several producers share a run from its first prompt only if all have joined before there is one.
 * So the topics are created for them and the learner is started once their group is complete. Of
 * more producers than prompts have partitions, some wait in reserve.
 */
final class ProducerGathering {

  private static final Duration POLL = Duration.ofMillis(100);

  private static final int PARTITIONS = new TopicCatalogue("").prompts().partitions();

  private final Admin admin;
  private final String groupId;

  ProducerGathering(Admin admin, String groupId) {
    this.admin = admin;
    this.groupId = groupId;
  }

  /** Creates what producers wait for and does not exist yet. */
  void createTopics(TopicCatalogue topics) throws InterruptedException, ExecutionException {
    Set<String> existing = admin.listTopics().names().get();
    List<NewTopic> requests =
        topics.all().stream()
            .filter(t -> !existing.contains(t.name()))
            .map(t -> new NewTopic(t.name(), t.partitions(), (short) 1).configs(t.settings()))
            .toList();
    admin.createTopics(requests).all().get();
  }

  /** Returns once all {@code producers} have their share of the prompts. */
  void await(List<ChildProcess> producers) throws InterruptedException {
    while (!isComplete(producers.size())) {
      producers.forEach(ChildProcess::requireAlive);
      Thread.sleep(POLL.toMillis());
    }
  }

  private boolean isComplete(int members) throws InterruptedException {
    try {
      return admin.describeConsumerGroups(List.of(groupId)).all().get().values().stream()
          .anyMatch(group -> isShared(group, members));
    } catch (ExecutionException e) {
      return false; // no such group yet
    }
  }

  static boolean isShared(ConsumerGroupDescription group, int members) {
    long working =
        group.members().stream()
            .filter(member -> !member.assignment().topicPartitions().isEmpty())
            .count();
    return group.groupState() == GroupState.STABLE
        && group.members().size() == members
        && working == Math.min(members, PARTITIONS);
  }
}
