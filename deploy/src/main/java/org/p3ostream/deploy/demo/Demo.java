package org.p3ostream.deploy.demo;

import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.evaluation.HeldOutEvaluation;
import org.p3ostream.deploy.progress.CommittedLog;
import org.p3ostream.deploy.progress.ProgressLine;
import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.deploy.progress.SnapshotArchive;
import org.p3ostream.deploy.report.ReportDirectory;
import org.p3ostream.deploy.report.RunReport;
import org.p3ostream.deploy.stack.FreePorts;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.deploy.stack.Predecessors;
import org.p3ostream.deploy.workdirectory.ProcessLog;
import org.p3ostream.deploy.workdirectory.RunRecord;
import org.p3ostream.deploy.workdirectory.WorkDirectory;
import org.p3ostream.deploy.workdirectory.WorkDirectoryClaim;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.schemas.topic.TopicCatalogue;

/** A demo run, from an empty directory or from where an earlier one ended, to its report. */
public final class Demo implements AutoCloseable {

  private static final long SERVING_POLL_MILLIS = 200;
  private static final String REMOVED_AT_THE_END =
      " (removed at the end unless something fails; --work-dir DIR keeps it)";

  private static final String COMMAND = "p3o demo";

  private final DemoOptions options;
  private final Class<?> commandLine;
  private final PrintStream out = System.out;
  private final boolean terminal;
  private final long startedNanos = System.nanoTime();
  private final WorkDirectory directory;
  private final WorkDirectoryClaim claim;
  private final RunRecord begun;
  private final Teardown teardown = new Teardown();
  private final RunHistory history = new RunHistory();
  private final @Nullable ReportDirectory reports;
  private volatile boolean failed;
  private final int port;
  private boolean reported;

  /**
   * @param commandLine main class whose commands the roles are
   * @param terminal whether standard output, which shows progress and summary, is a terminal
   */
  public Demo(DemoOptions options, Class<?> commandLine, boolean terminal) {
    this.commandLine = commandLine;
    this.terminal = terminal;
    requireFree(options.port());
    this.port = options.port() == 0 ? FreePorts.onLoopback(1).get(0) : options.port();
    this.reports =
        options.reportDirectory() == null ? null : ReportDirectory.at(options.reportDirectory());
    Path given = options.workDirectory();
    this.directory =
        options.resume() && given != null
            ? WorkDirectory.existing(given)
            : WorkDirectory.create(given);
    this.claim = teardown.add(WorkDirectoryClaim.take(directory, COMMAND)); // ends last
    teardown.add(ProcessLog.redirectTo(directory.log()));
    try {
      this.begun = options.resume() ? RunRecord.read(directory) : begin(options);
      this.options = options.resume() ? continued(options) : options;
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** How a new run begins; written as soon as nothing speaks against it. */
  private RunRecord begin(DemoOptions options) {
    directory.requireNoRun(); // whoever came first has it by now
    return new RunRecord(
        directory.root().toString(),
        options.task(),
        options.producers(),
        DemoRecipe.settings(options, directory));
  }

  private DemoOptions continued(DemoOptions options) {
    Continuation.requireSameRun(options, begun, directory);
    return options.over(begun, begun.configuration(directory, options.typed()));
  }

  /**
   * Trains, evaluates and reports.
   *
   * @throws Exception if anything failed; a mere consequence if {@link #isClosed()} by then
   */
  public void run() throws Exception {
    try {
      check(begun.configuration(directory, options.resume() ? options.typed() : List.of()));
      out.println("live view " + address() + " (after the first step)");
      out.println(
          "work directory " + directory.root() + (directory.temporary() ? REMOVED_AT_THE_END : ""));
      Predecessors.await(directory.root(), out::println);
      if (!options.resume()) {
        begun.write(directory);
      }
      LocalStack stack = teardown.add(LocalStack.launch(directory.root(), 0, 0));
      P3oConfig config = configuration(stack);
      boolean hasPrompts = options.resume() && hasPrompts(config, stack);
      DemoFiles.write(directory, options, config);
      claim.serve(stack);
      Training training = trainAndReport(config, stack, hasPrompts);
      if (options.keepServing()) {
        serve(training);
      }
    } catch (Exception e) {
      failed = !isClosed() && !(e instanceof ConfigException);
      reportUnfinished(e);
      throw e;
    }
  }

  /** Whether the demo was closed, for instance by Ctrl-C. */
  public boolean isClosed() {
    return teardown.isClosed();
  }

  /** Where data and logs are after a failure, and how to go on from there. */
  public String whatIsLeft() {
    return "data and logs are in %s; to go on from there: ./p3o demo --work-dir %s --resume"
        .formatted(directory.root(), ShellWord.quoted(directory.root().toString()));
  }

  /**
   * Ends all children, after which {@link #run} ends too. Safe from a shutdown hook, and twice. The
   * directory is left to {@link #close}, since {@link #run} may still be writing there.
   */
  public void stop() {
    teardown.close();
  }

  /**
   * Ends all children and removes a temporary directory, unless its logs are needed to explain a
   * failure. To be called by the thread that ran the demo.
   */
  @Override
  public void close() {
    stop();
    if (directory.temporary() && !failed) {
      try {
        directory.delete();
      } catch (UncheckedIOException e) {
        out.println("left behind            " + e.getMessage());
      }
    }
  }

  /** Finds what is wrong before anything starts. */
  private static void check(P3oConfig config) throws Exception {
    try (RoleClients clients = new RoleClients(config)) {
      clients.codec();
    }
  }

  private P3oConfig configuration(LocalStack stack) {
    List<String> settings = new ArrayList<>();
    if (options.resume()) {
      settings.addAll(options.typed());
    }
    settings.add("kafka.bootstrap.servers=" + stack.bootstrapServers());
    settings.add("registry.url=" + stack.registryUrl());
    settings.add("streams.port=" + port);
    settings.add("metrics.learnerPort=0");
    settings.add("metrics.producerPort=0");
    settings.add("metrics.targetsDirectory=" + directory.targets());
    return begun.configuration(directory, settings);
  }

  /** Whether a run that is resumed got as far as its first prompts. Tells where it stands. */
  private boolean hasPrompts(P3oConfig config, LocalStack stack) throws Exception {
    stack.awaitReady();
    try (RoleClients clients = new RoleClients(config)) {
      RunStatistics run =
          RunHistory.read(clients, new TopicCatalogue(config.run().topicPrefix())).statistics();
      Continuation.requireStepsAhead(options, run.stepsPassed());
      out.printf("resuming after step %d of %d%n", run.stepsPassed(), options.steps());
      return !run.weightsSha256().isEmpty();
    }
  }

  private Training trainAndReport(P3oConfig config, LocalStack stack, boolean hasPrompts)
      throws Exception {
    TopicCatalogue topics = new TopicCatalogue(config.run().topicPrefix());
    Roles roles = teardown.add(new Roles(directory, commandLine));
    Training training =
        Training.start(roles, stack.processes(), options.producers(), hasPrompts, this::tell);
    stack.awaitReady();
    out.printf(
        "broker %s, registry %s (%.1f s)%n",
        stack.bootstrapServers(), stack.registryUrl(), secondsSinceStart());
    try (RoleClients clients = new RoleClients(config)) {
      training.await(config, clients, new ProgressLine(out, terminal, options.steps()), history);
      CommittedLog.await(clients.admin(), List.of(topics.steps(), topics.snapshots()));
      DemoAudit audit = new DemoAudit(clients, topics);
      SnapshotArchive snapshots = audit.snapshots(history.statistics());
      DemoReport report = measure(config, audit, snapshots);
      DemoSummary.print(out, report);
      writeReport(facts().of(report, snapshots.newest().weights().length));
      if (options.reportFile() != null) {
        report.write(options.reportFile());
      }
      if (!directory.temporary() || options.keepServing()) {
        out.println("data and logs          " + directory.root());
      }
      if (!directory.temporary() && !options.keepServing()) {
        teardown.add(LastMetrics.of(config, clients, this::tell)).await(training::keepServing);
      }
      return training;
    }
  }

  private DemoReport measure(P3oConfig config, DemoAudit audit, SnapshotArchive snapshots) {
    try (HeldOutEvaluation evaluation =
        HeldOutEvaluation.open(
            directory.model(),
            PromptFile.read(directory.heldOutPrompts()),
            config.sampling().maxResponseTokens())) {
      return DemoReport.of(
          history.statistics(),
          audit.census(),
          audit.exactMatch(evaluation, ModelDirectory.load(directory.model()).weights()),
          audit.exactMatch(evaluation, snapshots.newest().weights()),
          secondsSinceStart());
    }
  }

  /** On a line of its own, whatever the progress shows. */
  private void tell(String text) {
    out.println((terminal ? "\n" : "") + text);
  }

  private void serve(Training training) throws InterruptedException {
    out.printf("live view %s, metrics %smetrics%n", address(), address());
    out.printf("on the terminal: ./p3o top --url %s%n", address());
    out.printf(
        "to read the log: ./p3o log rollouts --config %s --limit 3%n",
        ShellWord.quoted(directory.configuration().toString()));
    out.println("Ctrl-C ends");
    while (!isClosed()) {
      training.keepServing();
      Thread.sleep(SERVING_POLL_MILLIS);
    }
  }

  private String address() {
    return "http://127.0.0.1:" + port + "/";
  }

  private static void requireFree(int port) {
    if (port != 0 && !FreePorts.isFree(port)) {
      throw new ConfigException("--port: " + port + " must be free, but somebody listens there");
    }
  }

  /** What there is of a run that ended early; what goes wrong here must not hide why it did. */
  private void reportUnfinished(Exception cause) {
    if (history.series().isEmpty() || reported) {
      return;
    }
    String reason = isClosed() ? "it was interrupted" : String.valueOf(cause.getMessage());
    try {
      writeReport(facts().ofUnfinished(history.statistics(), reason, secondsSinceStart()));
    } catch (RuntimeException e) {
      cause.addSuppressed(e);
      out.println("report                 not written: " + e.getMessage());
    }
  }

  private void writeReport(RunReport report) {
    if (reports != null) {
      reports.write(report);
      out.println("report                 " + reports.page());
    }
    reported = true;
  }

  private DemoFacts facts() {
    return new DemoFacts(options, directory, commandLine, history.series());
  }

  private double secondsSinceStart() {
    return (System.nanoTime() - startedNanos) / 1e9;
  }
}
