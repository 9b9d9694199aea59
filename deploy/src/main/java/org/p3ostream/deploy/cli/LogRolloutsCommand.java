package org.p3ostream.deploy.cli;

import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.RolloutJson;
import org.p3ostream.deploy.log.RolloutLog;
import org.p3ostream.deploy.log.RolloutQuery;
import org.p3ostream.deploy.log.RolloutSink;
import org.p3ostream.deploy.log.RolloutText;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.TokenTexts;
import org.p3ostream.deploy.log.Unreadable;
import org.p3ostream.schemas.topic.TopicCatalogue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code p3o log rollouts}. */
@Command(
    name = "rollouts",
    description =
        "Shows rollout groups: prompt, reference answer, and every response with reward, length and"
            + " mean behaviour log-prob.",
    mixinStandardHelpOptions = true)
final class LogRolloutsCommand extends LogSubcommand {

  @Mixin private StepRangeOptions windows = new StepRangeOptions();

  @Option(names = "--group", paramLabel = "ID", description = "The group with this id only.")
  private @Nullable Long groupId;

  @Option(names = "--producer", paramLabel = "ID", description = "Groups of this producer only.")
  private @Nullable String producerId;

  @Override
  void requireValidOptions() {
    windows.range();
  }

  @Override
  void show(P3oConfig config, RoleClients clients, Unreadable unreadable)
      throws InterruptedException {
    RolloutQuery query = new RolloutQuery(limit(), newest(), windows.range(), groupId, producerId);
    TopicCatalogue catalogue = new TopicCatalogue(config.run().topicPrefix());
    RunTopics topics =
        topics(config, clients, catalogue.rollouts(), catalogue.prompts(), catalogue.steps());
    RolloutLog log =
        new RolloutLog(
            topics.reader(catalogue.rollouts()),
            topics.readerIfThere(catalogue.prompts()).orElse(null),
            topics.readerIfThere(catalogue.steps()).orElse(null),
            unreadable);
    try (TokenTexts texts = TokenTexts.of(config.model().directory())) {
      RolloutSink sink = json() ? new RolloutJson(out(), texts) : new RolloutText(out(), texts);
      if (follow()) {
        untilInterrupted(stopped -> log.follow(query, sink, stopped), log::wakeup);
      } else if (log.show(query, sink) == 0 && limit() > 0) {
        tell(catalogue.rollouts().name() + " holds no rollout group" + filters() + " yet");
      }
    }
  }

  private String filters() {
    return windows.words()
        + (groupId == null ? "" : " with --group " + groupId)
        + (producerId == null ? "" : " of --producer " + producerId);
  }
}
