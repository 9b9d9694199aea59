package org.p3ostream.tests.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.learner.task.SyntheticTask;

/** Files and configuration of a run that is to be disturbed, or of its twin. */
record SoakRun(Path directory, P3oConfig config) {

  static final int GROUPS_PER_WINDOW = 4;

  /** η of the run: windows dispatched ahead of the one that is due. */
  static final int MAX_STALENESS = 1;

  /** The longest time-out of any client below; a pause beyond it is seen by everybody. */
  static final int LONGEST_TIMEOUT_MS = 6_000;

  /**
   * Time-outs of the clients, shorter than the defaults so that they can be waited for: every one
   * of them is passed by a pause of {@link #LONGEST_TIMEOUT_MS}. A session cannot be shorter (the
   * broker's group.min.session.timeout.ms).
   */
  private static final List<String> SHORT_TIMEOUTS =
      List.of(
          "kafka.request.timeout.ms=3000",
          "kafka.delivery.timeout.ms=" + LONGEST_TIMEOUT_MS,
          "kafka.transaction.timeout.ms=" + LONGEST_TIMEOUT_MS,
          "kafka.max.block.ms=" + LONGEST_TIMEOUT_MS,
          "kafka.default.api.timeout.ms=" + LONGEST_TIMEOUT_MS,
          "kafka.session.timeout.ms=" + LONGEST_TIMEOUT_MS,
          "kafka.max.poll.interval.ms=10000",
          "kafka.reconnect.backoff.max.ms=500");

  /**
   * @param directory model, prompts, configuration, logs; created if missing
   * @param checkpoints directory of checkpoints
   * @param replication of every topic
   * @param steps after which the learner ends
   */
  static SoakRun create(
      Path directory,
      Path checkpoints,
      String bootstrapServers,
      String registryUrl,
      String prefix,
      int replication,
      long steps) {
    List<String> settings = new ArrayList<>(SHORT_TIMEOUTS);
    settings.addAll(
        List.of(
            "kafka.bootstrap.servers=" + bootstrapServers,
            "registry.url=" + registryUrl,
            "run.id=soak",
            "run.seed=1",
            "run.topicPrefix=" + prefix,
            "model.directory=" + directory.resolve("model"),
            "prompts.file=" + directory.resolve("prompts.jsonl"),
            "sampling.maxResponseTokens=12",
            "sampling.samplesPerGroup=4",
            "dispatch.groupsPerWindow=" + GROUPS_PER_WINDOW,
            "dispatch.maxStaleness=" + MAX_STALENESS,
            "optimizer.scheduleSteps=100000",
            "learner.steps=" + steps,
            "learner.checkpointEvery=3",
            "learner.checkpointsKept=2",
            "learner.checkpointDirectory=" + checkpoints,
            "learner.topicReplication=" + replication,
            "streams.port=0",
            "streams.replicationFactor=" + replication,
            "streams.stateDirectory=" + directory.resolve("streams-state")));
    SoakRun run = new SoakRun(directory, ConfigLoader.load(null, settings));
    run.write();
    return run;
  }

  private void write() {
    try {
      Files.createDirectories(directory);
      copyModel(directory.resolve("model"));
      PromptFile.write(directory.resolve("prompts.jsonl"), SyntheticTask.CSUM8.generate(512, 5));
      Files.writeString(configuration(), ConfigPrinter.toYaml(config));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The warm-started model of the demo, whose rewards differ: there is something to learn. */
  private static void copyModel(Path target) throws IOException {
    Files.createDirectories(target);
    for (String name : List.of("config.json", "model.safetensors", "tokenizer.json")) {
      try (InputStream file = P3oConfig.class.getResourceAsStream("/models/csum8/" + name)) {
        Files.copy(file, target.resolve(name), StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /** The file that the roles read. */
  /** For those who only read: a broker that is busy after a fault is not away. */
  P3oConfig ofReaders() {
    return ConfigLoader.load(
        configuration(),
        List.of("kafka.request.timeout.ms=30000", "kafka.default.api.timeout.ms=60000"));
  }

  Path configuration() {
    return directory.resolve("p3o.yaml");
  }
}
