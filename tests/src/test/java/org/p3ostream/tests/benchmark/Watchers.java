package org.p3ostream.tests.benchmark;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * Whoever looks at a run from now on: a page that asks the server for what the dashboard asks, as
 * often; three clients of its stream of events; and a foreign consumer, with a group of its own, of
 * ledger, metrics and rollouts.
 *
 * <p>They are a process that runs when nothing else does, and is as busy while it does not watch
 * ({@link OwnWork}): people who watch a run do it on their own machines. It is told {@code on STEP}
 * and {@code off}, and answers {@code off} with what was seen.
 */
final class Watchers implements AutoCloseable {

  static final int STREAMS = 3;

  private static final List<String> OPENED = List.of("/", "/api/steps?points=600");

  private static final List<String> STATE = List.of("/api/runs", "/api/alerts");
  private static final Duration STATE_INTERVAL = Duration.ofSeconds(2); // as the dashboard's

  private static final List<String> PANELS =
      List.of(
          "/api/producers",
          "/api/staleness",
          "/api/versions?limit=8",
          "/api/latencies",
          "/api/dead-letters",
          "/api/tasks");
  private static final Duration PANELS_INTERVAL = Duration.ofSeconds(5); // as the dashboard's

  /** Looks whether it is to end by itself, so that it can say goodbye to the broker. */
  private static final String CONSUMER = "foreign-consumer";

  /** Watchers of a demo, in a process of their own. */
  static final class Remote implements AutoCloseable {
    private final Process process;
    private final BufferedWriter to;
    private final BufferedReader from;

    Remote(URI server, String bootstrapServers, String topicPrefix) throws IOException {
      process =
          new ProcessBuilder(
                  "chrt", // runs when nothing else does: people watch from machines of their own
                  "--idle",
                  "0",
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Watchers.class.getName(),
                  server.toString(),
                  bootstrapServers,
                  topicPrefix)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      to = process.outputWriter(StandardCharsets.UTF_8);
      from = process.inputReader(StandardCharsets.UTF_8);
    }

    void on(long fromStep) throws IOException {
      tell("on " + fromStep);
    }

    String off() throws IOException {
      tell("off");
      String seen = from.readLine();
      if (seen == null || !seen.startsWith(SAW)) {
        throw new IllegalStateException("the watchers did not watch: " + seen);
      }
      return seen;
    }

    private void tell(String command) throws IOException {
      to.write(command);
      to.newLine();
      to.flush();
    }

    @Override
    public void close() {
      process.destroy();
    }
  }

  /** Arguments: address of the live view, brokers, topic prefix. */
  public static void main(String[] arguments) throws IOException {
    BufferedReader commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    OwnWork work = new OwnWork();
    Watchers watchers = null;
    String command = commands.readLine();
    while (command != null) {
      if (watchers != null) {
        watchers.close();
        work.end();
        System.out.printf(
            "%s%s, took %.3f processors%n",
            watchers.sawEverything() ? SAW : "too little: ", watchers.seen(), work.share());
        watchers = null;
      } else {
        work.begin();
        watchers =
            new Watchers(
                URI.create(arguments[0]),
                arguments[1],
                new TopicCatalogue(arguments[2]),
                Long.parseLong(command.substring("on ".length())));
      }
      command = commands.readLine();
    }
  }

  private static final String SAW = "saw ";

  private final URI server;
  private final long fromStep;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong answers = new AtomicLong();
  private final AtomicLong streamedBytes = new AtomicLong();
  private final AtomicLong records = new AtomicLong();
  private final KafkaConsumer<byte[], byte[]> consumer;
  private volatile boolean stopped;

  /**
   * Begins to look.
   *
   * @param server address of the live view
   * @param fromStep first step of which they want to hear
   */
  Watchers(URI server, String bootstrapServers, TopicCatalogue topics, long fromStep) {
    this.server = server;
    this.fromStep = fromStep;
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                bootstrapServers,
                "group.id",
                "somebody-else-" + fromStep,
                "isolation.level",
                "read_committed",
                "auto.offset.reset",
                "latest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    start("page", this::page);
    start("panels", () -> again(PANELS, PANELS_INTERVAL));
    for (int i = 0; i < STREAMS; i++) {
      start("stream-" + i, this::stream);
    }
    start(CONSUMER, () -> consume(topics));
  }

  /** What they have seen, to be sure that they have looked. */
  String seen() {
    return "%d answers, %d bytes streamed, %d records"
        .formatted(answers.get(), streamedBytes.get(), records.get());
  }

  /** Whether each kind has seen something. */
  boolean sawEverything() {
    return answers.get() > 0 && streamedBytes.get() > 0 && records.get() > 0;
  }

  private void start(String name, Runnable work) {
    Thread thread = new Thread(work, "watcher-" + name);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private void page() {
    if (ask(OPENED)) {
      again(STATE, STATE_INTERVAL);
    }
  }

  private void again(List<String> paths, Duration interval) {
    boolean going = true;
    while (going && !stopped) {
      going = ask(paths) && pause(interval);
    }
  }

  /** False when it was interrupted. */
  private boolean ask(List<String> paths) {
    for (String path : paths) {
      try {
        HttpResponse<String> answer =
            http.send(
                HttpRequest.newBuilder(server.resolve(path)).build(),
                HttpResponse.BodyHandlers.ofString());
        answers.addAndGet(answer.statusCode() == 200 ? 1 : 0);
      } catch (IOException e) {
        // over
      } catch (InterruptedException e) {
        return false;
      }
    }
    return true;
  }

  private void stream() {
    while (!stopped) {
      try (InputStream events =
          http.send(
                  HttpRequest.newBuilder(server.resolve("/api/stream?from=" + fromStep)).build(),
                  HttpResponse.BodyHandlers.ofInputStream())
              .body()) {
        byte[] buffer = new byte[8_192];
        int read = events.read(buffer);
        while (read >= 0 && !stopped) {
          streamedBytes.addAndGet(read);
          read = events.read(buffer);
        }
      } catch (IOException e) {
        // not up yet, or over
      } catch (InterruptedException e) {
        return;
      }
      if (!pause(Duration.ofMillis(500))) {
        return;
      }
    }
  }

  private void consume(TopicCatalogue topics) {
    try (consumer) {
      consumer.subscribe(
          List.of(topics.steps().name(), topics.metrics().name(), topics.rollouts().name()));
      while (!stopped) {
        records.addAndGet(consumer.poll(Duration.ofMillis(200)).count());
      }
    }
  }

  private static boolean pause(Duration duration) {
    try {
      Thread.sleep(duration.toMillis());
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }

  @Override
  public void close() {
    stopped = true;
    threads.stream()
        .filter(thread -> !thread.getName().endsWith(CONSUMER))
        .forEach(Thread::interrupt);
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
