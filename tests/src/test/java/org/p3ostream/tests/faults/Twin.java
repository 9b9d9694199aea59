package org.p3ostream.tests.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.tests.faults.IndependentAudit.Rollout;

/**
 * The run that nobody disturbs.
 *
 * @param digests weights after every step
 * @param groups what was sampled for every group
 */
record Twin(List<String> digests, Map<Long, Rollout> groups) {

  /** Trains it to its end: same configuration and seed, prefix of its own, one producer. */
  static Twin train(Path directory, Brokers brokers, String registryUrl, long steps)
      throws Exception {
    SoakRun run =
        SoakRun.create(
            directory,
            directory.resolve("checkpoints"),
            brokers.bootstrapServers(),
            registryUrl,
            "twin.",
            brokers.replication(),
            steps);
    Gate gate = new Gate(directory.resolve("gate"));
    gate.open(Long.MAX_VALUE);
    TopicCatalogue topics = new TopicCatalogue(run.config().run().topicPrefix());
    try (Crew crew = new Crew(directory, run.configuration(), gate);
        RoleClients clients = new RoleClients(run.ofReaders())) {
      crew.release(Role.LEARNER);
      crew.start(Role.LEARNER);
      crew.start(Role.PRODUCER_1);
      while (crew.get(Role.LEARNER).isAlive()) {
        crew.supervise();
        crew.get(Role.LEARNER).awaitExit(Duration.ofMillis(100));
      }
      if (crew.get(Role.LEARNER).exitCode() != 0) {
        crew.get(Role.LEARNER).requireAlive();
      }
      IndependentAudit audit = new IndependentAudit(topics);
      RunLog log = new RunLog(clients.reader(), clients.codec(), topics, audit);
      log.catchUp();
      long deadline = System.nanoTime() + DisturbedRun.SETTLING.toNanos();
      while (audit.nextWindow() < steps && System.nanoTime() < deadline) {
        log.poll(Duration.ofMillis(50)); // markers come after the process has ended
      }
      IndependentAudit.Verdict verdict = audit.verdict(List.of());
      if (!verdict.ok() || audit.nextWindow() != steps) {
        throw new IllegalStateException(
            "the twin ended after %d steps: %s".formatted(audit.nextWindow(), verdict));
      }
      return new Twin(
          audit.digests(),
          audit.rollouts().stream()
              .collect(Collectors.toMap(Rollout::groupId, rollout -> rollout, (a, b) -> a)));
    }
  }

  /** The groups of some windows, in order. */
  List<Rollout> windows(long first, long afterLast) {
    return java.util.stream.LongStream.range(
            first * SoakRun.GROUPS_PER_WINDOW, afterLast * SoakRun.GROUPS_PER_WINDOW)
        .mapToObj(groups::get)
        .filter(java.util.Objects::nonNull)
        .toList();
  }
}
