package org.p3ostream.tests.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.p3ostream.deploy.stack.SchemaRegistry;

/**
 * Faults of every kind against one run after another, each compared with its undisturbed twin.
 * Usage: {@code Soak FAULTS SEED DIRECTORY [1-node|3-node] [KIND…]}; the same seed gives the same
 * schedule. Half of the faults strike on one broker, half on a cluster of three, unless one of them
 * is asked for.
 */
public final class Soak {

  private Soak() {}

  /** Ends with status 1 at the first fault that is not survived. */
  public static void main(String[] arguments) throws Exception {
    int faults = Integer.parseInt(arguments[0]);
    long seed = Long.parseLong(arguments[1]);
    Path directory = Path.of(arguments[2]).toAbsolutePath();
    List<String> more = new ArrayList<>(Arrays.asList(arguments).subList(3, arguments.length));
    Set<Topology> topologies = EnumSet.allOf(Topology.class);
    for (Topology topology : Topology.values()) {
      if (more.remove(topology.toString())) {
        topologies.retainAll(Set.of(topology));
      }
    }
    List<FaultKind> kinds =
        Arrays.stream(FaultKind.values())
            .filter(kind -> kind != FaultKind.FAILPOINT)
            .filter(kind -> more.isEmpty() || more.contains(kind.toString()))
            .toList();
    System.out.printf(
        "%d faults, seed %d, %s, %s, %s%n", faults, seed, directory, topologies, kinds);
    try {
      SoakReport report =
          run(
              directory,
              seed,
              FaultSchedule.of(seed, faults, kinds),
              topologies,
              outcome -> System.out.println(SoakReport.csv(outcome)));
      report.write(directory);
      System.out.println(Files.readString(directory.resolve("summary.md")));
      System.exit(0);
    } catch (Exception e) {
      e.printStackTrace();
      System.out.printf("NOT SURVIVED; the same again: Soak %s%n", String.join(" ", arguments));
      System.exit(1);
    }
  }

  /**
   * Runs a schedule, dealt to the topologies in turn.
   *
   * @param directory empty or missing; data and logs of everything
   * @param progress told of every fault that was survived
   */
  static SoakReport run(
      Path directory,
      long seed,
      List<Fault> schedule,
      Set<Topology> topologies,
      Consumer<Outcome> progress)
      throws Exception {
    long start = System.nanoTime();
    List<Topology> order = List.copyOf(topologies);
    List<DisturbedRun.Result> results = new ArrayList<>();
    SchemaRegistry registry = SchemaRegistry.launch(directory.resolve("registry"), 0);
    try (registry) {
      registry.awaitReady();
      Twin twin = null;
      for (int turn = 0; turn < order.size(); turn++) {
        int own = turn;
        List<Fault> faults =
            schedule.stream().filter(fault -> fault.index() % order.size() == own).toList();
        Topology topology = order.get(turn);
        try (Brokers brokers = topology.start(directory.resolve("brokers-" + topology))) {
          if (twin == null) { // the first has the most faults
            twin =
                Twin.train(
                    directory.resolve("twin"),
                    brokers,
                    registry.url(),
                    DisturbedRun.steps(faults.size()));
          }
          results.add(
              new DisturbedRun(
                      directory.resolve(topology.toString()), brokers, registry, twin, progress)
                  .suffer(faults));
        }
      }
    }
    return new SoakReport(seed, results, (System.nanoTime() - start) / 1e9);
  }
}
