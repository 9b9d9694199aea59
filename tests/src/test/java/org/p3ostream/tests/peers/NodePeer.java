package org.p3ostream.tests.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** {@code src/peers/node}: Confluent's registry client for Node, on KafkaJS, in its own process. */
final class NodePeer {

  /** With it, a machine without Node fails the tests; else they are skipped. */
  private static final boolean REQUIRED = Boolean.getBoolean("p3o.peers.required");

  private static final Path SOURCE = Path.of("src", "peers", "node");
  private static final long PATIENCE_SECONDS = 300;

  private final PeerRun run;
  private final Path directory;

  private NodePeer(PeerRun run, Path directory) {
    this.run = run;
    this.directory = directory;
  }

  /** Installs what {@code package-lock.json} names into {@code target}, once. */
  static NodePeer install(PeerRun run) throws Exception {
    requireProgram("node");
    requireProgram("npm");
    Path directory = Files.createDirectories(Path.of("target", "peers", "node"));
    Path lock = directory.resolve("package-lock.json");
    Path installed = directory.resolve("installed-package-lock.json");
    try (Stream<Path> files = Files.list(SOURCE).filter(Files::isRegularFile)) {
      for (Path file : files.toList()) {
        Files.copy(
            file, directory.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    }
    if (!Files.exists(installed) || Files.mismatch(lock, installed) >= 0) {
      NodePeer peer = new NodePeer(run, directory);
      peer.output(
          List.of("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=5"),
          List.of());
      Files.copy(lock, installed, StandardCopyOption.REPLACE_EXISTING);
    }
    return new NodePeer(run, directory);
  }

  private static void requireProgram(String name) throws InterruptedException {
    String missing = null;
    try {
      Process process = new ProcessBuilder(name, "--version").redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      int exitCode = process.waitFor();
      if (exitCode != 0) {
        missing = "'" + name + " --version' ended with " + exitCode;
      }
    } catch (IOException e) {
      missing = "install Node 18.3 or newer with npm: '" + name + "' cannot be run: " + e;
    }
    if (missing != null && REQUIRED) {
      throw new AssertionError(missing + " (and p3o.peers.required is set)");
    }
    Assumptions.assumeTrue(missing == null, missing);
  }

  /** Everything on the topics of the run, as Node reads it. */
  List<ReceivedRecord> consume() throws Exception {
    List<String> arguments = new ArrayList<>(List.of("read"));
    run.topics().all().forEach(topic -> arguments.addAll(List.of("--topic", topic.name())));
    arguments.addAll(List.of("--count", Integer.toString(run.records().size())));
    return script(arguments, List.of()).stream().map(ReceivedRecord::of).toList();
  }

  /** Has Node publish all records; returns what it says about each. */
  List<JsonNode> publish() throws Exception {
    return script(List.of("write"), run.records().stream().map(NodePeer::line).toList());
  }

  private static String line(PlacedRecord record) {
    ObjectNode line = JsonNodeFactory.instance.objectNode();
    line.put("topic", record.topic().name());
    line.put("partition", record.partition());
    line.put("key", record.keyed().toString());
    line.put("record", record.type());
    line.set("value", PeerJson.of(record.value().getSchema(), record.value()));
    return line.toString();
  }

  private List<JsonNode> script(List<String> arguments, List<String> input) throws Exception {
    List<String> command = new ArrayList<>(List.of("node", "peer.mjs"));
    command.addAll(arguments);
    command.addAll(List.of("--bootstrap", run.stack().bootstrapServers()));
    command.addAll(List.of("--registry", run.stack().registryUrl()));
    return output(command, input).stream().map(PeerJson::parse).toList();
  }

  /** Lines of standard output; all goes through files, so that no pipe fills up. */
  private List<String> output(List<String> command, List<String> input) throws Exception {
    Path in = Files.write(directory.resolve("input"), input);
    Path out = directory.resolve("output");
    Path errors = directory.resolve("errors");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
          .as("%s still runs; %s", command, Files.readString(errors))
          .isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as("%s: %s", command, Files.readString(errors)).isZero();
    return Files.readAllLines(out);
  }
}
