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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.stack.BrokerMain;
import org.p3ostream.deploy.stack.FreePorts;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.tests.support.DemoProcess;

/**
 * What it costs a learner to be watched. Within one demo stretches of steps alone and stretches
 * with {@link Watchers} follow one another, in pairs of which every other one is turned round, so
 * that neither the machine's moods nor the growing log nor a compiler that warms up weigh on one
 * side. Of each stretch: the CPU time of the learner's process and the phase {@code commit}, for
 * which Kafka holds it up, both per step; and the same with the phase {@code wait}, in which it is
 * at the consumer until the groups of the window are there. Figures are ratios of a pair, watched
 * to alone. After them runs a demo in which nobody watches either kind of stretch: the noise of the
 * machine.
 *
 * <p>Arguments: demos that are watched (default 2), pairs in each (12), steps of a stretch (100),
 * directory of the results ({@code target}), and what else to tell the demos.
 */
public final class WatchingBenchmark {

  private static final long WARM_UP_STEPS = 300;

  /** First steps of a stretch, not measured: whoever watches comes and goes. */
  private static final long GUARD_STEPS = 30;

  private static final Duration POLL = Duration.ofMillis(20);

  /**
   * Of one stretch, per step.
   *
   * @param cpuMillis CPU time of the learner
   * @param brokerCpuMillis CPU time of the broker
   * @param streamsCpuMillis CPU time of the process of topology and server
   * @param commitMillis mean of its phase commit
   * @param commitMedianMillis median of the same
   * @param blockedMillis mean of its phases commit and wait together
   * @param stepMillis time from one commit to the next, mean
   * @param seen what the watchers saw; empty if there were none
   */
  record Stretch(
      double cpuMillis,
      double brokerCpuMillis,
      double streamsCpuMillis,
      double commitMillis,
      double commitMedianMillis,
      double blockedMillis,
      double stepMillis,
      String seen) {}

  /**
   * Two stretches, one after the other.
   *
   * @param watched with watchers; in a pair for the noise, without any
   */
  record Pair(Stretch alone, Stretch watched) {}

  /**
   * Ratios of all pairs.
   *
   * @param low,high 95 % confidence interval of the median, from the order of the ratios alone
   */
  record Ratios(double median, double low, double high) {

    static Ratios of(List<Pair> pairs, ToDoubleFunction<Stretch> figure) {
      double[] ratios =
          pairs.stream()
              .mapToDouble(p -> figure.applyAsDouble(p.watched()) / figure.applyAsDouble(p.alone()))
              .sorted()
              .toArray();
      int n = ratios.length;
      double median = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2;
      int below = outside(n);
      return new Ratios(median, ratios[below], ratios[n - 1 - below]);
    }

    /** Most ratios that may be left out at each end: P(Binomial(n, 1/2) &lt; k) &lt;= 2.5 %. */
    private static int outside(int n) {
      double probability = Math.pow(0.5, n);
      double sum = probability;
      int k = 0;
      while (sum <= 0.025) {
        probability = probability * (n - k) / (k + 1);
        sum += probability;
        k++;
      }
      return Math.max(0, k - 1);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%.3f [%.3f, %.3f]", median, low, high);
    }
  }

  /** All that was measured. */
  record Result(
      String date,
      int processors,
      long stepsOfAStretch,
      List<String> optionsOfDemos,
      List<Pair> pairs,
      List<Pair> noise,
      Map<String, Ratios> watchedToAlone,
      Map<String, Ratios> aloneToAlone) {}

  private final int pairs;
  private final long steps;
  private final Path directory;
  private final List<String> options;
  private int demos;

  private WatchingBenchmark(int pairs, long steps, Path directory, List<String> options) {
    this.pairs = pairs;
    this.steps = steps;
    this.directory = directory;
    this.options = options;
  }

  public static void main(String[] arguments) throws Exception {
    int demos = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2;
    int pairs = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 12;
    long steps = arguments.length > 2 ? Long.parseLong(arguments[2]) : 100;
    Path directory = Path.of(arguments.length > 3 ? arguments[3] : "target").toAbsolutePath();
    List<String> options =
        List.of(arguments).subList(Math.min(4, arguments.length), arguments.length);
    new WatchingBenchmark(
            pairs, steps, Files.createDirectories(directory.resolve("watching")), options)
        .run(demos);
  }

  private void run(int count) throws Exception {
    List<Pair> watched = new ArrayList<>();
    List<Pair> noise = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      watched.addAll(demo(true));
      report(watched, noise);
    }
    noise.addAll(demo(false));
    report(watched, noise);
  }

  private List<Pair> demo(boolean watch) throws Exception {
    Path own =
        Files.createDirectories(
            directory.resolve("demo-" + ProcessHandle.current().pid() + "-" + demos++));
    Path scratch = Files.createDirectories(own.resolve("scratch"));
    Path work = own.resolve("work");
    int port = FreePorts.onLoopback(1).get(0);
    long all = WARM_UP_STEPS + 2 * pairs * (steps + GUARD_STEPS) + GUARD_STEPS;
    List<String> arguments = new ArrayList<>(options);
    arguments.addAll(
        List.of(
            "--steps",
            Long.toString(all),
            "--port",
            Integer.toString(port),
            "--work-dir",
            work.toString(),
            "--no-report"));
    try (DemoProcess demo = DemoProcess.start("demo", own, scratch, arguments)) {
      demo.untilTraining();
      List<Pair> measured =
          measure(demo, ConfigLoader.load(work.resolve("p3o.yaml"), List.of()), port, watch);
      demo.process().awaitExit(Duration.ofMinutes(5));
      return measured;
    }
  }

  private List<Pair> measure(DemoProcess demo, P3oConfig config, int port, boolean watch)
      throws Exception {
    TopicCatalogue topics = new TopicCatalogue(config.run().topicPrefix());
    URI server = URI.create("http://127.0.0.1:" + port + "/");
    List<Pair> measured = new ArrayList<>();
    try (RoleClients clients = new RoleClients(config);
        Watchers.Remote watchers =
            new Watchers.Remote(server, config.bootstrapServers(), topics.prefix())) {
      Meter meter =
          new Meter(demo, new LogFollower(clients.reader(), clients.codec(), topics.steps()));
      watchers.on(0); // has its warm-up too
      meter.until(WARM_UP_STEPS);
      watchers.off();
      for (int i = 0; i < pairs; i++) {
        boolean turnedRound = i % 2 == 1;
        Stretch first = null;
        for (boolean second : new boolean[] {false, true}) {
          Stretch stretch = meter.stretch(steps, watch && second != turnedRound ? watchers : null);
          if (first == null) {
            first = stretch;
          } else {
            measured.add(turnedRound ? new Pair(stretch, first) : new Pair(first, stretch));
          }
        }
        tell(measured.get(i), watch);
      }
    }
    return measured;
  }

  /** Reads ledger and clock of a demo's learner. */
  private static final class Meter {
    private final DemoProcess demo;
    private final LogFollower ledger;
    private final List<ProcessHandle> processes;
    private final List<StepEvent> events = new ArrayList<>();

    Meter(DemoProcess demo, LogFollower ledger) {
      this.demo = demo;
      this.ledger = ledger;
      this.processes =
          List.of(
              demo.child("learner"), demo.child(BrokerMain.class.getName()), demo.child("streams"));
    }

    long newest() {
      return events.isEmpty() ? -1 : events.get(events.size() - 1).getStep();
    }

    void until(long step) {
      while (newest() < step) {
        demo.process().requireAlive();
        for (SpecificRecord record : ledger.poll(POLL)) {
          if (record instanceof StepEvent event && event.getKind() == StepKind.STEP) {
            events.add(event);
          }
        }
      }
    }

    Stretch stretch(long steps, Watchers.@Nullable Remote watchers) throws IOException {
      if (watchers != null) {
        watchers.on(newest() + 1);
      }
      until(newest() + GUARD_STEPS);
      int from = events.size();
      double[] before = cpuMillis();
      until(newest() + steps);
      double[] after = cpuMillis();
      List<StepEvent> measured = events.subList(from, events.size());
      double[] commits =
          measured.stream()
              .mapToDouble(event -> event.getPhases().getPreviousCommitMillis())
              .sorted()
              .toArray();
      int n = measured.size();
      return new Stretch(
          (after[0] - before[0]) / n,
          (after[1] - before[1]) / n,
          (after[2] - before[2]) / n,
          DoubleStream.of(commits).average().orElseThrow(),
          commits[n / 2],
          measured.stream().mapToDouble(Meter::blockedMillis).average().orElseThrow(),
          (double) (committedAt(events.size() - 1) - committedAt(from - 1)) / n,
          watchers == null ? "" : watchers.off());
    }

    private static double blockedMillis(StepEvent event) {
      return event.getPhases().getWaitMillis() + event.getPhases().getPreviousCommitMillis();
    }

    private long committedAt(int event) {
      return events.get(event).getCommittedAt();
    }

    private double[] cpuMillis() {
      return processes.stream()
          .mapToDouble(p -> p.info().totalCpuDuration().orElseThrow().toNanos() / 1e6)
          .toArray();
    }
  }

  private static void tell(Pair pair, boolean watch) {
    System.out.printf(
        Locale.ROOT,
        "%s  CPU %.2f and %.2f ms/step (%.3f)  commit %.2f and %.2f ms/step (%.3f)  blocked %.2f and %.2f  step %.1f and %.1f ms  %s%n",
        watch ? "watched" : "noise  ",
        pair.alone().cpuMillis(),
        pair.watched().cpuMillis(),
        pair.watched().cpuMillis() / pair.alone().cpuMillis(),
        pair.alone().commitMillis(),
        pair.watched().commitMillis(),
        pair.watched().commitMillis() / pair.alone().commitMillis(),
        pair.alone().blockedMillis(),
        pair.watched().blockedMillis(),
        pair.alone().stepMillis(),
        pair.watched().stepMillis(),
        pair.watched().seen());
  }

  private static Map<String, Ratios> ratios(List<Pair> pairs) {
    Map<String, Ratios> ratios = new LinkedHashMap<>();
    if (pairs.isEmpty()) {
      return ratios;
    }
    ratios.put("CPU of the learner", Ratios.of(pairs, Stretch::cpuMillis));
    ratios.put("CPU of the broker", Ratios.of(pairs, Stretch::brokerCpuMillis));
    ratios.put("CPU of streams", Ratios.of(pairs, Stretch::streamsCpuMillis));
    ratios.put("commit, mean", Ratios.of(pairs, Stretch::commitMillis));
    ratios.put("commit, median", Ratios.of(pairs, Stretch::commitMedianMillis));
    ratios.put("wait and commit, mean", Ratios.of(pairs, Stretch::blockedMillis));
    ratios.put("step", Ratios.of(pairs, Stretch::stepMillis));
    return ratios;
  }

  private void report(List<Pair> watched, List<Pair> noise) throws IOException {
    Result result =
        new Result(
            Instant.now().toString(),
            Runtime.getRuntime().availableProcessors(),
            steps,
            options,
            watched,
            noise,
            ratios(watched),
            ratios(noise));
    Path file = directory.resolve("watching.json");
    new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(file.toFile(), result);
    System.out.printf("%d pairs, medians of ratios [95 %%], in %s%n", watched.size(), file);
    result
        .watchedToAlone()
        .forEach(
            (figure, ratios) ->
                System.out.printf(
                    "  %-20s watched to alone %s  alone to alone %s%n",
                    figure, ratios, result.aloneToAlone().get(figure)));
  }
}
