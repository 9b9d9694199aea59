package org.p3ostream.tests.fuzz;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.p3ostream.deploy.stack.LocalStack;

/**
 * Throughput and memory of a learner under a flood of bad records, tenth by tenth.
 *
 * <p>Arguments: records (default 100000), windows (default 30), seed (default a new one).
 */
public final class FuzzBenchmark {

  private FuzzBenchmark() {}

  public static void main(String[] args) throws Throwable {
    long records = args.length > 0 ? Long.parseLong(args[0]) : 100_000;
    int windows = args.length > 1 ? Integer.parseInt(args[1]) : 30;
    long seed = args.length > 2 ? Long.parseLong(args[2]) : ThreadLocalRandom.current().nextLong();
    Path directory = Files.createTempDirectory(Path.of("target"), "fuzz-");
    System.out.println("seed " + seed);
    try (LocalStack stack = LocalStack.start(directory.resolve("stack"))) {
      FuzzRun fuzz =
          new FuzzRun(stack, directory.resolve("run"), records, windows, seed, System.out::println);
      fuzz.play();
      FuzzVerdict verdict = new FuzzVerdict(fuzz);
      verdict.require();
      System.out.println(verdict.counts());
    }
  }
}
