package org.p3ostream.tests.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;
import org.p3ostream.deploy.stack.SchemaRegistry;

/**
 * Faults of every kind against one run after another, each compared with its undisturbed twin.
 * Usage: {@code Soak FAULTS SEED DIRECTORY [KIND…]}; the same seed gives the same schedule.
 */
public final class Soak {

  private Soak() {}

  /** Ends with status 1 at the first fault that is not survived. */
  public static void main(String[] arguments) throws Exception {
    int faults = Integer.parseInt(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    Path directory = Path.of(arguments[2]).toAbsolutePath();
    List<FaultKind> kinds =
        arguments.length > 3
            ? Arrays.stream(arguments).skip(3).map(FaultKind::valueOf).toList()
            : List.copyOf(EnumSet.complementOf(EnumSet.of(FaultKind.FAILPOINT)));
    System.out.printf("%d faults, seed %d, %s%n", faults, seed, directory);
    try {
      SoakReport report =
          run(
              directory,
              seed,
              FaultSchedule.of(seed, faults, kinds),
              outcome -> System.out.println(SoakReport.csv(outcome)));
      report.write(directory);
      System.out.println(Files.readString(directory.resolve("summary.md")));
      System.exit(0);
    } catch (Exception e) {
      e.printStackTrace();
      System.out.printf("NOT SURVIVED; the same again: Soak %d %d DIRECTORY%n", faults, seed);
      System.exit(1);
    }
  }

  /**
   * Runs a schedule: every other fault on one broker, then the rest on a cluster of three.
   *
   * @param directory empty or missing; data and logs of everything
   * @param progress told of every fault that was survived
   */
  static SoakReport run(Path directory, long seed, List<Fault> schedule, Consumer<Outcome> progress)
      throws Exception {
    long start = System.nanoTime();
    List<DisturbedRun.Result> results = new ArrayList<>();
    List<Fault> ofSingle = schedule.stream().filter(fault -> fault.index() % 2 == 0).toList();
    List<Fault> ofCluster = schedule.stream().filter(fault -> fault.index() % 2 == 1).toList();
    SchemaRegistry registry = SchemaRegistry.launch(directory.resolve("registry"), 0);
    try (registry) {
      Twin twin;
      try (SingleBroker single = SingleBroker.start(directory.resolve("broker"))) {
        registry.awaitReady();
        twin =
            Twin.train(
                directory.resolve("twin"),
                single.bootstrapServers(),
                registry.url(),
                DisturbedRun.steps(ofSingle.size()));
        results.add(
            new DisturbedRun(directory.resolve("1-node"), single, registry, twin, progress)
                .suffer(ofSingle));
      }
      if (!ofCluster.isEmpty()) {
        try (ClusteredBrokers cluster = ClusteredBrokers.start(directory.resolve("brokers"))) {
          results.add(
              new DisturbedRun(directory.resolve("3-node"), cluster, registry, twin, progress)
                  .suffer(ofCluster));
        }
      }
    }
    return new SoakReport(seed, results, (System.nanoTime() - start) / 1e9);
  }
}
