package org.p3ostream.deploy.cli;

import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.RecordLog;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.StepRange;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code p3o log snapshots}. */
@Command(
    name = "snapshots",
    description =
        "Shows which policy versions were published: step, chunks, bytes and digest. Whether they"
            + " are whole is for `p3o audit` to say.",
    mixinStandardHelpOptions = true)
final class LogSnapshotsCommand extends LogSubcommand {

  @Mixin private StepRangeOptions steps = new StepRangeOptions();

  @Override
  void requireValidOptions() {
    steps.range();
  }

  @Override
  void show(P3oConfig config, RoleClients clients, Unreadable unreadable)
      throws InterruptedException {
    StepRange range = steps.range();
    TopicSpec topic = new TopicCatalogue(config.run().topicPrefix()).snapshots();
    RunTopics topics = topics(config, clients, topic);
    show(
        RecordLog.snapshots(topics.reader(topic), range, unreadable, out(), json()),
        topic.name() + " holds no snapshot" + steps.words() + " yet");
  }
}
