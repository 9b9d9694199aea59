package org.p3ostream.deploy.cli;

import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.RecordLog;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.StepQuery;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code p3o log steps}. */
@Command(
    name = "steps",
    description = "Shows the ledger: policy version, reward, ESS, cap and staleness of every step.",
    mixinStandardHelpOptions = true)
final class LogStepsCommand extends LogSubcommand {

  @Mixin private StepRangeOptions steps = new StepRangeOptions();

  @Option(
      names = "--group",
      paramLabel = "ID",
      description = "Events only that dispatch, train, pass or give up this group.")
  private @Nullable Long groupId;

  @Override
  void requireValidOptions() {
    steps.range();
  }

  @Override
  void show(P3oConfig config, RoleClients clients, Unreadable unreadable)
      throws InterruptedException {
    StepQuery query = new StepQuery(steps.range(), groupId);
    TopicSpec topic = new TopicCatalogue(config.run().topicPrefix()).steps();
    RunTopics topics = topics(config, clients, topic);
    show(
        RecordLog.steps(topics.reader(topic), query, unreadable, out(), json()),
        topic.name()
            + " holds no event"
            + steps.words()
            + (groupId == null ? "" : " about --group " + groupId)
            + " yet");
  }
}
