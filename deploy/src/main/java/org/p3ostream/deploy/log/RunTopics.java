package org.p3ostream.deploy.log;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/** Readers of the topics of a run, as far as these exist. */
public final class RunTopics {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(500);

  private final RoleClients clients;
  private final P3oConfig config;
  private final Consumer<String> notice;
  private final Map<String, Integer> partitions = new TreeMap<>();

  /**
   * Looks which topics there are, the ledger besides.
   *
   * @param topics those that readers will be asked of
   * @param notice told if the broker goes while a reader follows its topic
   * @throws IllegalStateException if the broker does not tell
   */
  public RunTopics(
      RoleClients clients, P3oConfig config, List<TopicSpec> topics, Consumer<String> notice)
      throws InterruptedException {
    this.clients = clients;
    this.config = config;
    this.notice = notice;
    Admin admin = clients.admin();
    TopicSpec ledger = new TopicCatalogue(config.run().topicPrefix()).steps();
    Set<String> names =
        Stream.concat(topics.stream(), Stream.of(ledger))
            .map(TopicSpec::name)
            .collect(Collectors.toSet());
    for (Map.Entry<String, KafkaFuture<TopicDescription>> answer :
        admin.describeTopics(names).topicNameValues().entrySet()) {
      describe(answer.getKey(), answer.getValue());
    }
  }

  /**
   * Waits for a run that has not begun.
   *
   * @param topics as above
   * @param needed those that must exist; returns once they do
   * @param notice as above; also told, once, what is waited for
   */
  public static RunTopics await(
      RoleClients clients,
      P3oConfig config,
      List<TopicSpec> topics,
      List<TopicSpec> needed,
      Consumer<String> notice)
      throws InterruptedException {
    boolean told = false;
    while (true) {
      RunTopics found = new RunTopics(clients, config, topics, notice);
      Optional<TopicSpec> absent =
          needed.stream().filter(topic -> found.partitions(topic) == 0).findFirst();
      if (absent.isEmpty()) {
        return found;
      }
      if (!told) {
        notice.accept(found.missing(absent.get()).getMessage() + "; waiting for it");
        told = true;
      }
      Thread.sleep(LOOK_AGAIN.toMillis());
    }
  }

  /**
   * Makes sure that there is a run to read, with its weights.
   *
   * @throws IllegalStateException naming topic, broker and prefix if there is none
   */
  public static void requireRun(RoleClients clients, P3oConfig config) throws InterruptedException {
    TopicCatalogue catalogue = new TopicCatalogue(config.run().topicPrefix());
    List<TopicSpec> needed = List.of(catalogue.steps(), catalogue.snapshots());
    RunTopics topics = new RunTopics(clients, config, needed, line -> {});
    for (TopicSpec topic : needed) {
      if (!topics.partitions.containsKey(topic.name())) {
        throw topics.missing(topic);
      }
    }
  }

  /**
   * A reader of a topic that must exist.
   *
   * @throws IllegalStateException naming topic, broker and prefix if it does not
   */
  public TopicReader reader(TopicSpec topic) {
    return readerIfThere(topic).orElseThrow(() -> missing(topic));
  }

  private IllegalStateException missing(TopicSpec topic) {
    String prefix = config.run().topicPrefix();
    String cause =
        partitions.containsKey(new TopicCatalogue(prefix).steps().name())
            ? "the run with run.topicPrefix=%s has a ledger, so it was deleted; an experiment keeps all topics with --keep all only"
            : "no run with run.topicPrefix=%s has begun there";
    return new IllegalStateException(
        ("there is no topic %s at kafka.bootstrap.servers=%s: " + cause)
            .formatted(topic.name(), config.bootstrapServers(), prefix));
  }

  /** A reader of a topic that may be missing. */
  public Optional<TopicReader> readerIfThere(TopicSpec topic) {
    return Optional.ofNullable(partitions.get(topic.name()))
        .map(
            count ->
                new TopicReader(clients.reader(), clients.codec(), topic.name(), count, notice));
  }

  /** How many partitions a topic has; 0 if there is no such topic. */
  public int partitions(TopicSpec topic) {
    return partitions.getOrDefault(topic.name(), 0);
  }

  private void describe(String topic, KafkaFuture<TopicDescription> answer)
      throws InterruptedException {
    try {
      partitions.put(topic, answer.get().partitions().size());
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
        throw new IllegalStateException(topic + " cannot be described: " + e.getCause(), e);
      }
    }
  }
}
