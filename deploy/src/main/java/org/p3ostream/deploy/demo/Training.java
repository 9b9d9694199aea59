package org.p3ostream.deploy.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.progress.ProgressLine;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * The roles of a demo, in the order that brings the first step soonest on a small machine: those
 * that train start beside broker and registry and wait for them; the metrics, which the first step
 * does not need, start after it.
 */
final class Training {

  private final Roles roles;
  private final List<ChildProcess> stack;
  private final List<ChildProcess> producers;
  private @Nullable ChildProcess learner;
  private final KeptStreams streams;

  private Training(
      Roles roles,
      List<ChildProcess> stack,
      List<ChildProcess> producers,
      Consumer<String> notice) {
    this.roles = roles;
    this.streams = new KeptStreams(roles::startStreams, notice);
    this.stack = List.copyOf(stack);
    this.producers = List.copyOf(producers);
  }

  /**
   * Starts the roles that train. Of several producers each must have its share before there is a
   * prompt, so that the learner of a new run then comes last, in {@link #await}.
   *
   * @param stack broker and registry, not necessarily ready
   * @param begun whether the run has its first prompts already
   * @param notice told what a person should know
   */
  static Training start(
      Roles roles,
      List<ChildProcess> stack,
      int producers,
      boolean begun,
      Consumer<String> notice) {
    Training training =
        new Training(
            roles,
            stack,
            IntStream.rangeClosed(1, producers).mapToObj(roles::startProducer).toList(),
            notice);
    if (producers == 1 || begun) {
      training.learner = roles.startLearner();
    }
    return training;
  }

  /**
   * Returns when the last step is in the ledger and the learner has ended. The metrics run then.
   *
   * @param clients of a stack that is ready
   * @param history filled with what is seen, also when this throws
   * @throws org.p3ostream.deploy.stack.ChildDiedException if a child ends before it should
   */
  void await(P3oConfig config, RoleClients clients, ProgressLine progress, RunHistory history)
      throws InterruptedException, ExecutionException {
    TopicCatalogue topics = new TopicCatalogue(config.run().topicPrefix());
    List<ChildProcess> others = new ArrayList<>(stack);
    others.addAll(producers);
    new TrainingWatch(
            new LogFollower(clients.reader(), clients.codec(), topics.steps()),
            learner(config, clients, topics),
            others,
            streams,
            progress,
            config.learner().steps(),
            history)
        .await();
  }

  /**
   * Makes sure that what stays up after the training is up: broker, registry and the metrics, which
   * are started again if they have ended.
   *
   * @throws org.p3ostream.deploy.stack.ChildDiedException if one of them is not
   */
  void keepServing() {
    stack.forEach(ChildProcess::requireAlive);
    streams.keepUp();
  }

  private ChildProcess learner(P3oConfig config, RoleClients clients, TopicCatalogue topics)
      throws InterruptedException, ExecutionException {
    if (learner == null) {
      ProducerGathering gathering =
          new ProducerGathering(clients.admin(), config.producerSettings().groupId());
      gathering.createTopics(topics);
      gathering.await(producers);
      learner = roles.startLearner();
    }
    return learner;
  }
}
