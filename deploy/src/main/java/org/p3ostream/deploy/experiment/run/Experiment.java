package org.p3ostream.deploy.experiment.run;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.experiment.outcome.Gate;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.table.Study;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.deploy.stack.Predecessors;
import org.p3ostream.deploy.workdirectory.ProcessLog;
import org.p3ostream.deploy.workdirectory.WorkDirectoryClaim;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A study, from an empty directory or from where it was left, to its report. A run that was cut
 * short, or whose execution failed, is executed again from its beginning, under a topic prefix that
 * nobody has used: in lockstep it comes to the same, and nothing of the first time can get into it.
 */
public final class Experiment {

  private static final Logger LOG = LoggerFactory.getLogger(Experiment.class);

  private static final String COMMAND = "p3o experiment";

  private final ExperimentOptions options;
  private final Map<String, String> environment;
  private final PrintStream out;
  private final boolean terminal;
  private volatile boolean stopping;
  private volatile boolean interrupted;
  private @Nullable Study study;

  /**
   * @param environment recorded by every run when it begins
   * @param out for people
   * @param terminal whether {@code out} is one
   */
  public Experiment(
      ExperimentOptions options,
      Map<String, String> environment,
      PrintStream out,
      boolean terminal) {
    this.options = options;
    this.environment = Map.copyOf(environment);
    this.out = out;
    this.terminal = terminal;
  }

  /**
   * Executes what is missing and writes the report of what there is.
   *
   * @return all results, of earlier executions too; some are missing if {@link #stop} was called
   * @throws ConfigException if plan or directory cannot be used
   * @throws Exception if broker or registry are lost; what is over by then is kept
   */
  public Study run() throws Exception {
    ShippedPlans.PlanText given = plan();
    ExperimentPlan plan = given.plan();
    RunConfiguration.requireSound(plan);
    ExperimentDirectory directory =
        options.resume()
            ? ExperimentDirectory.existingOrNew(options.out())
            : ExperimentDirectory.create(options.out());
    try (WorkDirectoryClaim claim =
            WorkDirectoryClaim.take(directory.asWorkDirectory(), COMMAND, "--out");
        ProcessLog log = ProcessLog.redirectTo(directory.log())) {
      if (directory.isBegun()) {
        requireNothingDiscarded(directory, plan);
      }
      directory.writeWhole(directory.plan(), given.yaml());
      return execute(plan, directory, claim);
    }
  }

  /**
   * Asks it to end: runs that go on are left, what is over is reported. Safe from any thread, a
   * shutdown hook included; returns at once.
   */
  public void stop() {
    interrupted = true;
    stopping = true;
  }

  /** What there is, also after {@link #run} has failed; null if nothing was begun. */
  public @Nullable Study study() {
    return study;
  }

  /** Whether it was asked to end. */
  public boolean isStopped() {
    return interrupted;
  }

  private ShippedPlans.PlanText plan() {
    String name = options.plan();
    return name == null
        ? ShippedPlans.read(ExperimentDirectory.existing(options.out()).plan())
        : ShippedPlans.find(name);
  }

  /** Results of another configuration are overwritten only for one who says so. */
  private void requireNothingDiscarded(ExperimentDirectory directory, ExperimentPlan plan) {
    ExperimentPlan before = ShippedPlans.read(directory.plan()).plan();
    if (!before.name().equals(plan.name())) {
      throw new ConfigException(
          "--plan: '%s' is not the study in %s, which is '%s': give another --out"
              .formatted(plan.name(), directory.root(), before.name()));
    }
    WarmStarts warmStarts = new WarmStarts(plan, directory.warmStarts(), () -> stopping);
    ResultStore store = new ResultStore(directory);
    List<String> lost =
        plan.runs().stream()
            .filter(run -> store.isOfAnother(run, hash(plan, run, warmStarts)))
            .map(PlannedRun::id)
            .toList();
    if (!lost.isEmpty() && !options.discard()) {
      throw new ConfigException(
          "--resume: %d runs that are over in %s are of another configuration, %s first: the plan or this program has changed since; --discard runs them again, another --out keeps both"
              .formatted(lost.size(), directory.root(), lost.get(0)));
    }
  }

  private static String hash(ExperimentPlan plan, PlannedRun run, WarmStarts warmStarts) {
    return RunConfiguration.hash(plan, run, warmStarts.hash(run.seed()));
  }

  /** Results that are there and are of the plan, by run id. */
  private Map<String, RunResult> results(ExperimentPlan plan, ExperimentDirectory directory) {
    WarmStarts warmStarts = new WarmStarts(plan, directory.warmStarts(), () -> stopping);
    ResultStore store = new ResultStore(directory);
    Map<String, RunResult> results = new HashMap<>();
    for (PlannedRun run : plan.runs()) {
      store
          .read(run, hash(plan, run, warmStarts))
          .ifPresent(result -> results.put(run.id(), result));
    }
    return results;
  }

  private Study execute(
      ExperimentPlan plan, ExperimentDirectory directory, WorkDirectoryClaim claim)
      throws Exception {
    WarmStarts warmStarts = new WarmStarts(plan, directory.warmStarts(), () -> stopping);
    ResultStore store = new ResultStore(directory);
    Map<String, RunResult> results = results(plan, directory);
    List<PlannedRun> due = due(plan, results);
    List<PlannedRun> uncleaned = uncleaned(plan, due, directory);
    announce(plan, directory, results, due);
    if (!due.isEmpty() || !uncleaned.isEmpty()) {
      Predecessors.await(directory.stack(), out::println);
      try (LocalStack stack = LocalStack.start(directory.stack())) {
        claim.serve(stack);
        ExperimentContext context =
            new ExperimentContext(directory, stack, warmStarts, environment);
        new Batch(plan, context, store, results).execute(due, uncleaned);
      } finally {
        study = study(plan, results);
      }
    }
    Study whole = study(plan, results);
    study = whole;
    return whole;
  }

  /** Runs that have no result, or one that says that their execution failed. */
  static List<PlannedRun> due(ExperimentPlan plan, Map<String, RunResult> results) {
    return plan.runs().stream()
        .filter(
            run -> {
              RunResult result = results.get(run.id());
              return result == null || result.failedToExecute();
            })
        .toList();
  }

  /** Runs that are over, of whose topics not all was deleted that need not stay. */
  static List<PlannedRun> uncleaned(
      ExperimentPlan plan, List<PlannedRun> due, ExperimentDirectory directory) {
    return plan.runs().stream()
        .filter(run -> !due.contains(run) && directory.notedCleanup(run).isPresent())
        .toList();
  }

  private static Study study(ExperimentPlan plan, Map<String, RunResult> results) {
    return new Study(
        plan,
        plan.runs().stream()
            .map(run -> results.get(run.id()))
            .flatMap(Stream::ofNullable)
            .toList());
  }

  private void announce(
      ExperimentPlan plan,
      ExperimentDirectory directory,
      Map<String, RunResult> results,
      List<PlannedRun> due) {
    Gate gate = new Gate(plan);
    Map<String, RunResult> over = new HashMap<>(results);
    due.forEach(run -> over.remove(run.id()));
    out.printf(
        "%s: %d scenarios × %d algorithms × %d seeds = %d runs of %d steps, %d at once%n",
        plan.name(),
        plan.scenarios().size(),
        plan.algorithms().size(),
        plan.seeds().size(),
        over.size() + due.size(),
        plan.steps(),
        Math.min(Math.max(1, due.size()), options.runsAtOnce()));
    gate.rules().forEach(rule -> out.println("gate, " + rule));
    if (!over.isEmpty()) {
      out.printf("%d of them are over already%n", over.size());
      study(plan, over).results().stream()
          .filter(result -> !gate.judge(result).passed())
          .forEach(
              result -> out.println("  " + result.id() + ": " + gate.judge(result).failures()));
    }
    List<RunResult> again =
        due.stream().map(run -> results.get(run.id())).flatMap(Stream::ofNullable).toList();
    if (!again.isEmpty()) {
      out.printf(
          "%d of them failed and are run again; their results stay until there are new ones%n",
          again.size());
      again.forEach(
          result -> out.println("  " + result.id() + ": " + gate.judge(result).failures()));
    }
    out.println("directory " + directory.root());
  }

  /** The runs that are due, on one stack. */
  private final class Batch {
    private final ExperimentPlan plan;
    private final ExperimentContext context;
    private final ResultStore store;
    private final Map<String, RunResult> results; // by run id; guarded by itself
    private final Gate gate;

    Batch(
        ExperimentPlan plan,
        ExperimentContext context,
        ResultStore store,
        Map<String, RunResult> results) {
      this.plan = plan;
      this.context = context;
      this.store = store;
      this.results = results;
      this.gate = new Gate(plan);
    }

    void execute(List<PlannedRun> due, List<PlannedRun> uncleaned) throws Exception {
      int runs = plan.runs().size();
      ExperimentProgress progress =
          new ExperimentProgress(
              out, terminal, runs, runs - due.size(), plan.steps(), System::nanoTime);
      ExecutorService workers = Executors.newFixedThreadPool(options.runsAtOnce());
      try (RoleClients clients = new RoleClients(ConfigLoader.load(null, addresses()))) {
        RunTopicsCleanup cleanup = new RunTopicsCleanup(clients.admin());
        cleanup.deleteLeftOf(plan, due);
        for (PlannedRun run : uncleaned) {
          cleanup.deleteNoted(
              context.directory(), run, Objects.requireNonNull(results.get(run.id())));
        }
        List<Future<?>> futures = new ArrayList<>();
        for (PlannedRun run : due) {
          futures.add(workers.submit(() -> execute(run, progress, cleanup)));
        }
        await(futures, workers);
      } finally {
        workers.shutdownNow();
        workers.awaitTermination(1, TimeUnit.MINUTES);
        progress.end();
      }
    }

    private List<String> addresses() {
      return List.of(
          "kafka.bootstrap.servers=" + context.stack().bootstrapServers(),
          "registry.url=" + context.stack().registryUrl());
    }

    /** The first thing that is wrong with more than one run ends all of them. */
    private void await(List<Future<?>> futures, ExecutorService workers)
        throws InterruptedException {
      @Nullable RuntimeException wrong = null;
      for (Future<?> future : futures) {
        try {
          future.get();
        } catch (CancellationException e) {
          LOG.debug("not begun", e);
        } catch (ExecutionException e) {
          Throwable cause = e.getCause() == null ? e : e.getCause();
          if (!(cause instanceof StoppedException) && wrong == null) {
            wrong = new IllegalStateException(cause.getMessage(), cause);
            stopping = true;
            futures.forEach(other -> other.cancel(false));
            workers.shutdown();
          }
        }
      }
      if (wrong != null) {
        throw wrong;
      }
    }

    private @Nullable Void execute(
        PlannedRun run, ExperimentProgress progress, RunTopicsCleanup cleanup) throws Exception {
      if (stopping) {
        throw new StoppedException();
      }
      Thread.currentThread().setName(run.id());
      RunResult result = new RunExecution(plan, run, context, progress, () -> stopping).execute();
      store.write(run, result, options.kept());
      synchronized (results) {
        results.put(run.id(), result);
      }
      progress.over(run, result, gate.judge(result));
      cleanup.deleteNoted(context.directory(), run, result);
      return null;
    }
  }
}
