package org.p3ostream.deploy.experiment.run;

import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.experiment.outcome.RunCost;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.outcome.RunTrace;
import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.progress.CommittedLog;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.runtime.Learner;
import org.p3ostream.learner.train.NonFiniteUpdateException;
import org.p3ostream.rolloutproducer.config.ProducerSettings;
import org.p3ostream.rolloutproducer.runtime.RolloutProducer;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One execution of a planned run, from its warm start to its result. For one thread, once. */
final class RunExecution {

  private static final Logger LOG = LoggerFactory.getLogger(RunExecution.class);

  private static final Duration POLL = Duration.ofMillis(50);

  /** A run that passes no window for so long is given up. */
  private static final long PATIENCE_MINUTES = 15;

  /** How long a role may take to end after it was asked to: longer than a step and its clients. */
  private static final long STOP_MILLIS = 60_000;

  private final ExperimentPlan plan;
  private final PlannedRun run;
  private final ExperimentContext context;
  private final RunListener listener;
  private final BooleanSupplier stopping;
  private long startedNanos;
  private long peakMemoryBytes;

  RunExecution(
      ExperimentPlan plan,
      PlannedRun run,
      ExperimentContext context,
      RunListener listener,
      BooleanSupplier stopping) {
    this.plan = plan;
    this.run = run;
    this.context = context;
    this.listener = listener;
    this.stopping = stopping;
  }

  /**
   * Executes the run. What goes wrong with it is part of the result.
   *
   * @throws StoppedException if the experiment ends meanwhile
   * @throws org.p3ostream.deploy.stack.ChildDiedException if broker or registry are gone
   */
  RunResult execute() throws Exception {
    listener.preparing(run);
    PreparedStart start = context.warmStarts().of(run.seed());
    startedNanos = System.nanoTime();
    ExperimentDirectory directory = context.directory();
    String prefix = RunConfiguration.topicPrefix(plan, run, directory.beginAttempt(run));
    ExperimentDirectory.delete(directory.checkpoints(run));
    directory.writeWhole(
        directory.configuration(run),
        RunConfiguration.forLaterReading(plan, run, prefix, directory, start));
    P3oConfig config = RunConfiguration.on(context.stack(), plan, run, prefix, directory, start);
    try (RoleClients clients = new RoleClients(config)) {
      TopicCatalogue topics = new TopicCatalogue(prefix);
      RunLedger ledger = new RunLedger(clients.reader(), clients.codec(), topics.steps().name());
      String failure = train(config, ledger, clients.admin(), topics);
      listener.measuring(run);
      RunMeasurement measured =
          failure == null
              ? measure(config, clients, topics, ledger, start)
              : RunMeasurement.none(failure);
      ExperimentDirectory.delete(directory.checkpoints(run));
      return result(prefix, ledger, start, measured);
    }
  }

  private RunMeasurement measure(
      P3oConfig config,
      RoleClients clients,
      TopicCatalogue topics,
      RunLedger ledger,
      PreparedStart start)
      throws InterruptedException {
    try {
      return RunMeasurement.of(
          config,
          clients,
          topics,
          new Evaluations(plan.heldOut(), start),
          ledger.steps(),
          ledger.weightsSha256());
    } catch (RuntimeException | ExecutionException e) {
      context.requireStack();
      LOG.error("{}: could not be measured", run.id(), e);
      return RunMeasurement.none("could not be measured: " + describe(e));
    } finally {
      peakMemoryBytes = Math.max(peakMemoryBytes, ProcessMemory.residentBytes());
    }
  }

  private RunResult result(
      String prefix, RunLedger ledger, PreparedStart start, RunMeasurement measured) {
    return new RunResult(
        RunResult.FORMAT,
        run.id(),
        run.scenario().name(),
        run.algorithm().name(),
        run.seed(),
        measured.failure(),
        start.heldOutReward(),
        measured.evaluations(),
        measured.audit(),
        ledger.steps(),
        new RunTrace(
            prefix,
            RunConfiguration.hash(plan, run, start.hash()),
            ledger.configHash(),
            start.hash(),
            start.weightsSha256(),
            ledger.weightsSha256(),
            ledger.firstOffset(),
            ledger.lastOffset(),
            measured.endOffsets()),
        new RunCost(
            ledger.trainSeconds(),
            (System.nanoTime() - startedNanos) / 1e9,
            ledger.steps().stream()
                .map(StepFigures::tokens)
                .flatMap(Stream::ofNullable)
                .mapToLong(Long::longValue)
                .sum(),
            measured.generatedTokens(),
            peakMemoryBytes));
  }

  /** Returns once all steps are done, or why they are not. */
  private @Nullable String train(
      P3oConfig config, RunLedger ledger, Admin admin, TopicCatalogue topics) throws Exception {
    LearnerSettings learnerSettings = config.learnerSettings(context.environment());
    ProducerSettings producerSettings = config.producerSettings();
    try (RoleClients learnerClients = new RoleClients(config);
        RoleClients producerClients = new RoleClients(config)) {
      Learner learner =
          new Learner(learnerSettings, learnerClients.learner(learnerSettings), Clock.systemUTC());
      RolloutProducer producer =
          new RolloutProducer(
              producerSettings, producerClients.producer(producerSettings), Clock.systemUTC());
      RoleThread learning = RoleThread.start(run.id() + "-learner", learner::run, learner::stop);
      RoleThread sampling = RoleThread.start(run.id() + "-producer", producer::run, producer::stop);
      @Nullable String failure;
      try {
        failure = follow(ledger, learning, sampling);
      } catch (
          RuntimeException e) { // broker or registry are gone: the roles find out by themselves
        learning.stop();
        sampling.stop();
        throw e;
      }
      end(learning, sampling);
      context.requireStack();
      if (stopping.getAsBoolean()) {
        throw new StoppedException();
      }
      Set<String> existing = admin.listTopics().names().get();
      if (existing.contains(topics.steps().name())) {
        CommittedLog.await(
            admin, topics.all().stream().filter(t -> existing.contains(t.name())).toList());
        ledger.readToEnd(POLL);
      }
      return failure != null ? failure : whyItEnded(run, learning, sampling);
    }
  }

  /** Returns once the learner has ended, or why it was not waited for any longer. */
  private @Nullable String follow(RunLedger ledger, RoleThread learning, RoleThread sampling) {
    int passed = 0;
    long lastNanos = System.nanoTime();
    while (!learning.hasEnded() && !sampling.hasEnded() && !stopping.getAsBoolean()) {
      context.requireStack();
      ledger.poll(POLL);
      peakMemoryBytes = Math.max(peakMemoryBytes, ProcessMemory.residentBytes());
      StepFigures newest = ledger.newest();
      if (newest != null && ledger.stepsPassed() > passed) {
        passed = ledger.stepsPassed();
        lastNanos = System.nanoTime();
        listener.training(run, passed, newest);
      } else if (System.nanoTime() - lastNanos > TimeUnit.MINUTES.toNanos(PATIENCE_MINUTES)) {
        return "no step was committed for %d minutes, after %d of %d"
            .formatted(PATIENCE_MINUTES, passed, plan.steps());
      }
    }
    return null;
  }

  private void end(RoleThread learning, RoleThread sampling) throws InterruptedException {
    learning.stop();
    boolean ended = learning.awaitEnd(STOP_MILLIS);
    sampling.stop();
    if (!ended || !sampling.awaitEnd(STOP_MILLIS)) {
      throw new IllegalStateException(
          "%s of %s does not end within %d s"
              .formatted(ended ? "the producer" : "the learner", run.id(), STOP_MILLIS / 1000));
    }
  }

  /** Why a role failed, if one did; begins with {@link RunResult#DIVERGED} if the numbers did. */
  static @Nullable String whyItEnded(PlannedRun run, RoleThread learning, RoleThread sampling) {
    Throwable ofLearner = learning.failure();
    Throwable ofProducer = sampling.failure();
    if (ofLearner != null) {
      LOG.error("{}: the learner failed", run.id(), ofLearner);
      return (ofLearner instanceof NonFiniteUpdateException ? RunResult.DIVERGED : "learner: ")
          + describe(ofLearner);
    }
    if (ofProducer != null) {
      LOG.error("{}: the producer failed", run.id(), ofProducer);
      return "producer: " + describe(ofProducer);
    }
    return null;
  }

  private static String describe(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
