package org.p3ostream.deploy.cli;

import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.DeadLetterQuery;
import org.p3ostream.deploy.log.RecordLog;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code p3o log dead-letters}. */
@Command(
    name = "dead-letters",
    description = "Shows which records were not trained on: reason, coordinate, field and cause.",
    mixinStandardHelpOptions = true)
final class LogDeadLettersCommand extends LogSubcommand {

  @Option(
      names = "--reason",
      paramLabel = "REASON",
      description = "With this reason only: ${COMPLETION-CANDIDATES}.")
  private @Nullable RejectionReason reason;

  @Option(names = "--group", paramLabel = "ID", description = "About this group only.")
  private @Nullable Long groupId;

  @Option(
      names = "--producer",
      paramLabel = "ID",
      description = "About records of this producer only.")
  private @Nullable String producerId;

  @Override
  void show(P3oConfig config, RoleClients clients, Unreadable unreadable)
      throws InterruptedException {
    DeadLetterQuery query = new DeadLetterQuery(reason, groupId, producerId);
    TopicSpec topic = new TopicCatalogue(config.run().topicPrefix()).deadLetters();
    RunTopics topics = topics(config, clients, topic);
    show(
        RecordLog.deadLetters(topics.reader(topic), query, unreadable, out(), json()),
        topic.name()
            + " holds no dead letter"
            + (reason == null ? "" : " with --reason " + reason)
            + (groupId == null ? "" : " about --group " + groupId)
            + (producerId == null ? "" : " of --producer " + producerId)
            + (reason == null && groupId == null && producerId == null ? " yet" : ""));
  }
}
