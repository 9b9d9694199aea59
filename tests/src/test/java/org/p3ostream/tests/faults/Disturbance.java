package org.p3ostream.tests.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.p3ostream.deploy.cli.ExitCode;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.SchemaRegistry;
import org.p3ostream.learner.commit.Stage;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.tests.faults.IndependentAudit.Rollout;
import org.p3ostream.tests.support.ChildRole;

/** Brings a fault upon a run while its windows are let through, and watches it come back. */
final class Disturbance {

  /** A pause beyond every time-out of clients and broker, and beyond the broker's look at them. */
  private static final Duration PAUSE = Duration.ofMillis(SoakRun.LONGEST_TIMEOUT_MS + 2_000);

  private static final Duration POLL = Duration.ofMillis(20);

  /** A run that takes longer to come back is given up. */
  private static final Duration PATIENCE = Duration.ofSeconds(150);

  private static final Set<FaultKind> OF_THE_METRICS =
      Set.of(FaultKind.STREAMS_KILL, FaultKind.STREAMS_STOP, FaultKind.BLACKOUT);

  private static final Set<FaultKind> OF_THE_BROKERS =
      Set.of(
          FaultKind.BROKER_KILL,
          FaultKind.BROKER_STOP,
          FaultKind.BROKER_DISK_FULL,
          FaultKind.BLACKOUT);

  private final Crew crew;
  private final Gate gate;
  private final RunLog log;
  private final IndependentAudit audit;
  private final Brokers brokers;
  private final SchemaRegistry registry;
  private final SmallDisk disk;
  private final Stranger stranger;
  private final Twin twin;
  private final TopicCatalogue topics;
  private long struckNanos;

  Disturbance(
      Crew crew,
      Gate gate,
      RunLog log,
      IndependentAudit audit,
      Brokers brokers,
      SchemaRegistry registry,
      SmallDisk disk,
      Stranger stranger,
      Twin twin,
      TopicCatalogue topics) {
    this.crew = crew;
    this.gate = gate;
    this.log = log;
    this.audit = audit;
    this.brokers = brokers;
    this.registry = registry;
    this.disk = disk;
    this.stranger = stranger;
    this.twin = twin;
    this.topics = topics;
  }

  /**
   * Returns when every window of the fault is in the ledger and all processes run.
   *
   * @param target first window that is not the fault's
   * @return milliseconds from the strike until then
   */
  long survive(Fault fault, long target) {
    strike(fault, target);
    until("step " + (target - 1) + " is committed", () -> audit.nextWindow() >= target);
    if (OF_THE_METRICS.contains(fault.kind())) {
      until("the metrics of it are", () -> audit.metricPoints(target - 1) > 0);
      audit.requireMetricsOnce(target);
    }
    long millis = (System.nanoTime() - struckNanos) / 1_000_000;
    if (fault.kind() == FaultKind.DISK_FULL) {
      disk.free();
    }
    if (OF_THE_BROKERS.contains(fault.kind())) {
      brokers.awaitWhole();
    }
    crew.settled();
    return millis;
  }

  private void strike(Fault fault, long target) {
    switch (fault.kind()) {
      case FAILPOINT -> failpoint(fault, target);
      case ZOMBIE -> zombie(fault, target);
      case LEARNER_KILL -> {
        approach(fault, target);
        crew.get(Role.LEARNER).kill();
      }
      case LEARNER_STOP -> {
        approach(fault, target);
        pause(crew.get(Role.LEARNER));
      }
      case PRODUCER_KILL -> {
        approach(fault, target);
        crew.get(producer(fault)).kill();
      }
      case PRODUCERS_KILL -> {
        approach(fault, target);
        Role.PRODUCERS.forEach(role -> crew.get(role).kill());
      }
      case PRODUCER_STOP -> {
        approach(fault, target);
        pause(crew.get(producer(fault)));
      }
      case STREAMS_KILL -> {
        approach(fault, target);
        crew.get(Role.STREAMS).kill();
      }
      case STREAMS_STOP -> {
        approach(fault, target);
        pause(crew.get(Role.STREAMS));
      }
      case BROKER_KILL -> {
        approach(fault, target);
        ChildProcess victim = brokers.leader(topics.steps().name());
        struck();
        victim.kill();
        brokers.restart(victim);
      }
      case BROKER_STOP -> {
        approach(fault, target);
        pause(brokers.leader(topics.steps().name()));
      }
      case BROKER_DISK_FULL -> {
        approach(fault, target);
        brokerDiskFull();
      }
      case REGISTRY_KILL -> {
        approach(fault, target);
        registry.process().kill();
        crew.get(Role.LEARNER).kill();
        crew.supervise();
        registry.restart();
      }
      case REGISTRY_STOP -> {
        approach(fault, target);
        registry.process().pause();
        crew.get(producer(fault)).kill();
        pause(registry.process());
      }
      case BLACKOUT -> {
        approach(fault, target);
        ChildProcess victim = brokers.leader(topics.steps().name());
        struck();
        for (Role role : Role.values()) {
          crew.get(role).kill();
        }
        victim.kill();
        brokers.restart(victim);
      }
      case DUPLICATES -> {
        approach(fault, target);
        List<Rollout> published = audit.rollouts();
        stranger.publishAgain(
            published.subList(
                Math.max(0, published.size() - 2 * SoakRun.GROUPS_PER_WINDOW), published.size()));
      }
      case REORDERED -> reordered(target);
      case FOREIGN -> {
        approach(fault, target);
        stranger.publishForeign(
            twin.windows(0, 1).get(0),
            audit.lastPrompt(),
            (target + fault.victim()) * SoakRun.GROUPS_PER_WINDOW * 100);
      }
      case DISK_FULL -> {
        disk.fill();
        approach(fault, target);
        crew.get(Role.LEARNER).kill();
      }
    }
  }

  /** Lets the windows through and returns when the moment has come. */
  private void approach(Fault fault, long target) {
    long due = target - FaultSchedule.WINDOWS_PER_FAULT + fault.afterSteps();
    gate.open(target);
    until("step " + (due - 1) + " is committed", () -> audit.nextWindow() >= due);
    LockSupport.parkNanos(Duration.ofMillis(fault.delayMillis()).toNanos());
    struck();
  }

  private void struck() {
    struckNanos = System.nanoTime();
  }

  private static Role producer(Fault fault) {
    return Role.PRODUCERS.get(fault.victim() % Role.PRODUCERS.size());
  }

  private void failpoint(Fault fault, long target) {
    Gate.write(crew.failpointFile(), fault.failpoint().toString());
    Stage stage = fault.failpoint().stage();
    if (stage == Stage.FENCE || stage == Stage.RECOVER) {
      crew.get(Role.LEARNER).kill();
    }
    gate.open(target);
    awaitReached(fault, target);
    struck();
  }

  private void awaitReached(Fault fault, long target) {
    until(
        "failpoint " + fault.failpoint() + " is reached",
        () -> !Files.exists(crew.failpointFile()) || audit.nextWindow() >= target);
    if (Files.exists(crew.failpointFile())) {
      try {
        Files.delete(crew.failpointFile());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      throw new IllegalStateException("failpoint " + fault.failpoint() + " was never reached");
    }
  }

  private void zombie(Fault fault, long target) {
    ChildProcess zombie = crew.get(Role.LEARNER);
    Gate.write(crew.failpointFile(), fault.failpoint().toString());
    gate.open(target);
    awaitReached(fault, target);
    until("the learner stands still", () -> ChildRole.isStopped(zombie));
    struck();
    crew.replace(Role.LEARNER, "learner-" + fault.index());
    until("the other learner has taken over", () -> audit.nextWindow() >= target);
    zombie.resume();
    until("the zombie ends", () -> !zombie.isAlive());
    crew.ended(Role.LEARNER, zombie);
    if (zombie.exitCode() != ExitCode.FENCED) {
      throw new IllegalStateException(
          "the zombie ended with exit code %d: %s"
              .formatted(zombie.exitCode(), String.join("\n", zombie.lastLogLines(10))));
    }
  }

  /** The producers stand still while somebody else answers their prompts, the last ones first. */
  private void reordered(long target) {
    long first = target - FaultSchedule.WINDOWS_PER_FAULT;
    List<ChildProcess> producers = Role.PRODUCERS.stream().map(crew::get).toList();
    producers.forEach(ChildProcess::pause);
    struck();
    gate.open(target);
    until("a step is committed", () -> audit.nextWindow() > first);
    long due = audit.nextWindow();
    stranger.publishFromBehindTwice(twin.windows(due, due + SoakRun.MAX_STALENESS + 1));
    until("the stranger's groups are trained", () -> audit.nextWindow() > due);
    producers.forEach(ChildProcess::resume);
  }

  /**
   * A broker that cannot write its log ends by itself, the sooner the more it is asked to write.
   */
  private void brokerDiskFull() {
    ChildProcess victim = brokers.leader(topics.steps().name());
    SmallDisk full = brokers.disk(victim);
    full.fill();
    struck();
    long end = System.nanoTime() + PAUSE.toNanos();
    until("the broker ends", () -> !victim.isAlive() || System.nanoTime() > end);
    if (victim.isAlive()) {
      victim.kill();
    }
    full.free();
    brokers.restart(victim);
  }

  private void pause(ChildProcess victim) {
    victim.pause();
    long end = System.nanoTime() + PAUSE.toNanos();
    until("the pause is over", () -> System.nanoTime() > end);
    victim.resume();
  }

  /** Supervises and reads the log until something holds. */
  private void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "%s: not within %d s; the ledger is at window %d"
                .formatted(what, PATIENCE.toSeconds(), audit.nextWindow()));
      }
      crew.supervise();
      log.poll(POLL);
    }
  }
}
