package org.p3ostream.deploy.cli;

import java.util.List;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.StepEvents;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;
import picocli.CommandLine.Command;

/** {@code p3o log steps}. */
@Command(
    name = "steps",
    description = "Shows the ledger: policy version, reward, ESS, cap and staleness of every step.",
    mixinStandardHelpOptions = true)
final class LogStepsCommand extends LogSubcommand {

  @Override
  void show(P3oConfig config, RoleClients clients, Unreadable unreadable)
      throws InterruptedException {
    TopicSpec topic = new TopicCatalogue(config.run().topicPrefix()).steps();
    RunTopics topics = new RunTopics(clients, config, List.of(topic));
    StepEvents events = new StepEvents(topics.reader(topic), unreadable, out(), json());
    if (follow()) {
      untilInterrupted(stopped -> events.follow(limit(), stopped), events::wakeup);
    } else if (events.show(limit(), newest()) == 0 && limit() > 0) {
      tell(topic.name() + " holds no event yet");
    }
  }
}
