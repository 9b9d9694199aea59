package org.p3ostream.tests.benchmark;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.stack.FreePorts;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.tests.support.DemoProcess;

/**
 * What it costs a learner to be watched: demos alone against the same demos with {@link Watchers},
 * in pairs of which every other one is turned round, so that the machine's moods hit both. Of each
 * demo the CPU time of the learner's process and the phase {@code commit}, for which Kafka holds it
 * up, both per step and after a warm-up. Figures are ratios of a pair, watched to alone; the result
 * is their median. Beside them, for the noise of the machine, the ratios of demos alone to demos
 * alone.
 *
 * <p>Arguments: pairs (default 6), steps (default 200), directory of the results (default {@code
 * target}).
 */
public final class WatchingBenchmark {

  private static final long WARM_UP_STEPS = 30;
  private static final Duration POLL = Duration.ofMillis(50);

  /**
   * Of one demo.
   *
   * @param cpuMillis CPU time of the learner per step
   * @param commitMillis mean of its phase commit per step
   * @param commitMedianMillis median of the same
   * @param stepMillis time from one commit to the next, mean
   * @param seen what the watchers saw; empty if there were none
   */
  record Figures(
      double cpuMillis,
      double commitMillis,
      double commitMedianMillis,
      double stepMillis,
      String seen) {}

  /**
   * Two demos, one after the other.
   *
   * @param watched with watchers; in a pair for the noise, without any
   */
  record Pair(Figures alone, Figures watched) {}

  /** Median, least and largest of the ratios of all pairs. */
  record Ratios(double median, double min, double max) {

    static Ratios of(List<Pair> pairs, ToDoubleFunction<Figures> figure) {
      double[] ratios =
          pairs.stream()
              .mapToDouble(p -> figure.applyAsDouble(p.watched()) / figure.applyAsDouble(p.alone()))
              .sorted()
              .toArray();
      int middle = ratios.length / 2;
      double median =
          ratios.length % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
      return new Ratios(median, ratios[0], ratios[ratios.length - 1]);
    }
  }

  /** All that was measured. */
  record Result(
      String date,
      int processors,
      long steps,
      List<Pair> pairs,
      List<Pair> noise,
      Ratios cpu,
      Ratios commit,
      Ratios commitMedian,
      Ratios step,
      Ratios cpuNoise,
      Ratios commitNoise) {}

  private final long steps;
  private final Path directory;
  private int demos;

  private WatchingBenchmark(long steps, Path directory) {
    this.steps = steps;
    this.directory = directory;
  }

  public static void main(String[] arguments) throws Exception {
    int pairs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 6;
    long steps = arguments.length > 1 ? Long.parseLong(arguments[1]) : 200;
    Path directory = Path.of(arguments.length > 2 ? arguments[2] : "target").toAbsolutePath();
    new WatchingBenchmark(steps, Files.createDirectories(directory.resolve("watching"))).run(pairs);
  }

  private void run(int count) throws Exception {
    List<Pair> pairs = new ArrayList<>();
    List<Pair> noise = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      pairs.add(pair(i % 2 == 1, true));
      noise.add(pair(i % 2 == 1, false));
      report(pairs, noise);
    }
  }

  private Pair pair(boolean turnedRound, boolean watch) throws Exception {
    Figures first = demo(turnedRound && watch);
    Figures second = demo(!turnedRound && watch);
    Pair pair = turnedRound ? new Pair(second, first) : new Pair(first, second);
    System.out.printf(
        Locale.ROOT,
        "%s  CPU %.2f and %.2f ms/step (%.3f)  commit %.2f and %.2f ms/step (%.3f)  %s%n",
        watch ? "watched" : "noise  ",
        pair.alone().cpuMillis(),
        pair.watched().cpuMillis(),
        pair.watched().cpuMillis() / pair.alone().cpuMillis(),
        pair.alone().commitMillis(),
        pair.watched().commitMillis(),
        pair.watched().commitMillis() / pair.alone().commitMillis(),
        pair.watched().seen());
    return pair;
  }

  private Figures demo(boolean watch) throws Exception {
    Path own =
        Files.createDirectories(
            directory.resolve("demo-" + ProcessHandle.current().pid() + "-" + demos++));
    Path scratch = Files.createDirectories(own.resolve("scratch"));
    Path work = own.resolve("work");
    int port = FreePorts.onLoopback(1).get(0);
    List<String> arguments =
        List.of(
            "--steps",
            Long.toString(steps),
            "--port",
            Integer.toString(port),
            "--work-dir",
            work.toString(),
            "--no-report");
    try (DemoProcess demo = DemoProcess.start("demo", own, scratch, arguments)) {
      demo.untilTraining();
      Figures figures =
          measure(demo, ConfigLoader.load(work.resolve("p3o.yaml"), List.of()), port, watch);
      demo.process().awaitExit(Duration.ofMinutes(5));
      return figures;
    }
  }

  private Figures measure(DemoProcess demo, P3oConfig config, int port, boolean watch)
      throws Exception {
    TopicCatalogue topics = new TopicCatalogue(config.run().topicPrefix());
    URI server = URI.create("http://127.0.0.1:" + port + "/");
    try (RoleClients clients = new RoleClients(config)) {
      LogFollower ledger = new LogFollower(clients.reader(), clients.codec(), topics.steps());
      ProcessHandle learner = demo.child("learner");
      if (!watch) {
        return follow(demo, learner, ledger, () -> "");
      }
      try (Watchers watchers = new Watchers(server, config.bootstrapServers(), topics)) {
        Figures figures = follow(demo, learner, ledger, watchers::seen);
        if (!watchers.sawEverything()) {
          throw new IllegalStateException("the watchers did not watch: " + watchers.seen());
        }
        return figures;
      }
    }
  }

  private Figures follow(
      DemoProcess demo, ProcessHandle learner, LogFollower ledger, Supplier<String> seen) {
    List<StepEvent> measured = new ArrayList<>();
    double cpuBefore = Double.NaN;
    double cpu = Double.NaN;
    long stepBefore = 0;
    long stepOfCpu = 0;
    while (measured.isEmpty() || measured.get(measured.size() - 1).getStep() < steps - 1) {
      demo.process().requireAlive();
      for (SpecificRecord record : ledger.poll(POLL)) {
        if (record instanceof StepEvent event
            && event.getKind() == StepKind.STEP
            && event.getStep() >= WARM_UP_STEPS) {
          measured.add(event);
        }
      }
      double now = cpuMillis(learner);
      if (!measured.isEmpty() && !Double.isNaN(now)) {
        if (Double.isNaN(cpuBefore)) {
          cpuBefore = now;
          stepBefore = measured.get(measured.size() - 1).getStep();
        }
        cpu = now;
        stepOfCpu = measured.get(measured.size() - 1).getStep();
      }
    }
    StepEvent first = measured.get(0);
    StepEvent last = measured.get(measured.size() - 1);
    double[] commits =
        measured.stream()
            .mapToDouble(event -> event.getPhases().getPreviousCommitMillis())
            .sorted()
            .toArray();
    return new Figures(
        (cpu - cpuBefore) / (stepOfCpu - stepBefore),
        Arrays.stream(commits).average().orElseThrow(),
        commits[commits.length / 2],
        (double) (last.getCommittedAt() - first.getCommittedAt()) / (measured.size() - 1),
        seen.get());
  }

  /** NaN once the process has ended. */
  private static double cpuMillis(ProcessHandle process) {
    return process.info().totalCpuDuration().map(d -> d.toNanos() / 1e6).orElse(Double.NaN);
  }

  private void report(List<Pair> pairs, List<Pair> noise) throws IOException {
    Result result =
        new Result(
            Instant.now().toString(),
            Runtime.getRuntime().availableProcessors(),
            steps,
            pairs,
            noise,
            Ratios.of(pairs, Figures::cpuMillis),
            Ratios.of(pairs, Figures::commitMillis),
            Ratios.of(pairs, Figures::commitMedianMillis),
            Ratios.of(pairs, Figures::stepMillis),
            Ratios.of(noise, Figures::cpuMillis),
            Ratios.of(noise, Figures::commitMillis));
    Path file = directory.resolve("watching.json");
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), result);
    System.out.printf(
        Locale.ROOT,
        "%d pairs, medians of ratios: CPU %.3f (noise %.3f), commit %.3f (noise %.3f), in %s%n",
        pairs.size(),
        result.cpu().median(),
        result.cpuNoise().median(),
        result.commit().median(),
        result.commitNoise().median(),
        file);
  }
}
