package org.p3ostream.tests.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.cli.P3o;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.stack.ChildProcess;
import org.p3ostream.deploy.stack.JvmCommand;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.learner.runtime.Learner;
import org.p3ostream.rolloutproducer.runtime.RolloutProducer;
import org.p3ostream.schemas.registry.RegistryAvroDeserializer;
import org.p3ostream.schemas.registry.RegistryAvroSerializer;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.streams.runtime.MetricsService;

/**
 * A whole demo with Confluent's serializer and deserializer in every role, beside one with ours.
 */
@Tag("peers")
class ConfluentDemoIT {

  private static final Duration LONG = Duration.ofMinutes(8);
  private static final int STEPS = 20;

  private static final Set<Class<?>> ROLES =
      Set.of(Learner.class, RolloutProducer.class, MetricsService.class);

  /** Of a demo. */
  private static final TopicCatalogue TOPICS =
      new TopicCatalogue(P3oConfig.defaults().run().topicPrefix());

  @Test
  void demoTrainsTheSameWeightsAndEitherCodecReadsEitherLog(@TempDir Path directory)
      throws Exception {
    Path ours = directory.resolve("ours");
    Path confluent = directory.resolve("confluent");

    String weights = weightsOfDemo(ours);
    String confluentWeights =
        weightsOfDemo(
            confluent,
            "--set",
            "serde.serializerClass=" + ConfluentPeerIT.SERIALIZER,
            "--set",
            "serde.deserializerClass=" + ConfluentPeerIT.DESERIALIZER);

    assertThat(confluentWeights).isEqualTo(weights);
    assertThat(rolesThatLoaded(ours, ConfluentPeerIT.SERIALIZER)).isEmpty();
    assertThat(rolesThatLoaded(confluent, ConfluentPeerIT.SERIALIZER)).isEqualTo(ROLES);
    assertThat(rolesThatLoaded(confluent, ConfluentPeerIT.DESERIALIZER)).isEqualTo(ROLES);
    assertBothCodecsRead(ours);
    assertBothCodecsRead(confluent);
  }

  private static String weightsOfDemo(Path directory, String... settings) throws Exception {
    Path report = directory.resolveSibling(directory.getFileName() + ".json");
    List<String> command =
        new ArrayList<>(List.of("demo", "--steps", Integer.toString(STEPS), "--seed", "42"));
    command.addAll(List.of("--work-dir", directory.toString(), "--report-json", report.toString()));
    command.addAll(List.of(settings));
    try (ChildProcess demo = ChildProcess.start(demo(directory, command))) {
      assertThat(demo.awaitExit(LONG)).isTrue();
      assertThat(demo.exitCode()).as(String.join("\n", demo.lastLogLines(40))).isZero();
    }
    JsonNode figures = new ObjectMapper().readTree(report.toFile());
    assertThat(figures.get("steps").asLong()).isEqualTo(STEPS);
    return figures.get("weightsSha256").asText();
  }

  private static JvmCommand demo(Path directory, List<String> arguments) throws IOException {
    Path parent = directory.getParent();
    Path scratch = Files.createDirectories(directory.resolveSibling("tmp"));
    String logLoading = "-Xlog:class+load:file=" + loadedClasses(directory).resolve("%p.log");
    return new JvmCommand(
        "demo",
        System.getProperty("java.class.path"),
        List.of(
            "-Xmx512m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Djava.io.tmpdir=" + scratch,
            "-Dp3o.registry.home=" + System.getProperty("p3o.registry.home")),
        P3o.class.getName(),
        arguments,
        Map.of("JDK_JAVA_OPTIONS", logLoading), // which its children inherit
        parent,
        parent.resolve("demo.log"),
        false);
  }

  /** Where every process of a demo writes which classes it loads. */
  private static Path loadedClasses(Path directory) throws IOException {
    return Files.createDirectories(
        directory.resolveSibling(directory.getFileName() + "-loaded-classes"));
  }

  private static Set<Class<?>> rolesThatLoaded(Path directory, String className)
      throws IOException {
    Set<Class<?>> roles = new HashSet<>();
    try (Stream<Path> processes = Files.list(loadedClasses(directory))) {
      for (Path process : processes.toList()) {
        String loaded = Files.readString(process);
        if (loaded.contains(" " + className + " ")) {
          ROLES.stream()
              .filter(role -> loaded.contains(" " + role.getName() + " "))
              .forEach(roles::add);
        }
      }
    }
    return roles;
  }

  /** Brings the stack of a finished demo up again and reads all that it left. */
  private static void assertBothCodecsRead(Path directory) {
    try (LocalStack stack = LocalStack.start(directory)) {
      Map<String, String> settings = Map.of("schema.registry.url", stack.registryUrl());
      try (RecordCodec ours =
              RecordCodec.create(
                  RegistryAvroSerializer.class.getName(),
                  RegistryAvroDeserializer.class.getName(),
                  settings);
          RecordCodec confluent =
              RecordCodec.create(
                  ConfluentPeerIT.SERIALIZER, ConfluentPeerIT.DESERIALIZER, settings)) {
        Set<String> topics = new TreeSet<>();
        for (ConsumerRecord<byte[], byte[]> record : WholeLog.read(stack, TOPICS)) {
          Decoded decoded = ours.decode(record.topic(), record.value());
          assertThat(decoded).isInstanceOf(Decoded.Accepted.class);
          assertThat(confluent.decode(record.topic(), record.value())).isEqualTo(decoded);
          topics.add(record.topic());
        }
        assertThat(topics)
            .contains(
                TOPICS.prompts().name(),
                TOPICS.rollouts().name(),
                TOPICS.snapshots().name(),
                TOPICS.steps().name(),
                TOPICS.metrics().name());
      }
    }
  }
}
