package org.p3ostream.deploy.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.FreePorts;
import org.p3ostream.deploy.stack.LocalStack;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code p3o up}. */
@Command(
    name = "up",
    description = "Runs a local Kafka broker and schema registry until interrupted.",
    mixinStandardHelpOptions = true)
final class UpCommand implements Callable<Integer> {

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "Data and logs; kept (default: ${DEFAULT-VALUE}).")
  private Path workDirectory = Path.of("p3o-local");

  @Option(
      names = "--kafka-port",
      defaultValue = "9092",
      description = "Port of the broker; 0 takes a free one (default: ${DEFAULT-VALUE}).")
  private int kafkaPort;

  @Option(
      names = "--registry-port",
      defaultValue = "8081",
      description = "Port of the registry; 0 takes a free one (default: ${DEFAULT-VALUE}).")
  private int registryPort;

  @Option(names = "--json", description = "Prints the addresses as one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws Exception {
    requireFree("--kafka-port", kafkaPort);
    requireFree("--registry-port", registryPort);
    long started = System.nanoTime();
    CountDownLatch stopped = new CountDownLatch(1);
    try (Interruption interruption =
            new Interruption(stopped::countDown, ChildProcess.GRACE.plus(Duration.ofSeconds(2)));
        LocalStack stack = LocalStack.launch(workDirectory, kafkaPort, registryPort)) {
      stack.awaitReady();
      print(stack, (System.nanoTime() - started) / 1e9);
      while (!stopped.await(200, TimeUnit.MILLISECONDS)) {
        stack.processes().forEach(ChildProcess::requireAlive);
      }
    }
    return ExitCode.DONE;
  }

  /** Whoever listens there would answer in the place of what is started. */
  private static void requireFree(String option, int port) {
    if (port < 0 || port > 65_535) {
      throw new ConfigException(option + ": " + port + " must be in [0, 65535]");
    }
    if (port != 0 && !FreePorts.isFree(port)) {
      throw new ConfigException(
          option + ": " + port + " must be free, but somebody listens there; 0 takes a free one");
    }
  }

  private void print(LocalStack stack, double seconds) throws JsonProcessingException {
    PrintStream out = System.out;
    if (json) {
      Map<String, Object> addresses = new LinkedHashMap<>();
      addresses.put("bootstrapServers", stack.bootstrapServers());
      addresses.put("registryUrl", stack.registryUrl());
      addresses.put("workDirectory", workDirectory.toAbsolutePath().toString());
      addresses.put("startSeconds", seconds);
      out.println(new ObjectMapper().writeValueAsString(addresses));
    } else {
      out.printf("Kafka            %s%n", stack.bootstrapServers());
      out.printf("schema registry  %s%n", stack.registryUrl());
      out.printf("data and logs    %s%n", workDirectory.toAbsolutePath());
      out.printf("ready after %.1f s; Ctrl-C ends both%n", seconds);
    }
  }
}
