package org.p3ostream.rolloutproducer.runtime;

import ai.djl.Device;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.WakeupException;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.policy.sampling.RecordedLogprob;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.rolloutproducer.backlog.PromptBacklog;
import org.p3ostream.rolloutproducer.config.ProducerSettings;
import org.p3ostream.rolloutproducer.generation.GenerationLimit;
import org.p3ostream.rolloutproducer.generation.GroupAssembler;
import org.p3ostream.rolloutproducer.generation.GroupGenerator;
import org.p3ostream.rolloutproducer.generation.Mixture;
import org.p3ostream.rolloutproducer.generation.PolicySampler;
import org.p3ostream.rolloutproducer.snapshot.SnapshotLog;
import org.p3ostream.rolloutproducer.snapshot.VersionCache;
import org.p3ostream.schemas.snapshot.SnapshotFollower;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One rollout producer process: prompts in, rollout groups out. */
public final class RolloutProducer {
  private static final Logger log = LoggerFactory.getLogger(RolloutProducer.class);
  private static final long TOPIC_POLL_MS = 250;

  private final ProducerSettings settings;
  private final ProducerClients clients;
  private final Clock clock;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private ProducerObserver observer = ProducerObserver.NONE;
  private volatile ProducerStatus status = new Tally().status(-1, "start");

  public RolloutProducer(ProducerSettings settings, ProducerClients clients, Clock clock) {
    this.settings = settings;
    this.clients = clients;
    this.clock = clock;
  }

  /** Lets somebody see what it does. To be called before {@link #run()}. */
  public RolloutProducer observedBy(ProducerObserver other) {
    observer = other;
    return this;
  }

  /**
   * Serves prompts until {@link #stop()} is called. The clients stay open.
   *
   * @throws FencedException if another process took over the transactional id
   * @throws UnavailableException if broker or registry failed for longer than the deadline
   */
  public void run() {
    try {
      if (awaitTopics()) {
        serve();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    log.info("Producer {} ended: {}", settings.producer().id(), status);
  }

  /**
   * Asks the producer to end after the round it is in: what is finished is published; the rest, the
   * group that is being sampled included, is left to other producers. Safe from any thread, a
   * shutdown hook included; returns at once.
   */
  public void stop() {
    stopping.countDown();
    clients.prompts().wakeup();
  }

  /** What the producer has done so far. Safe from any thread. */
  public ProducerStatus status() {
    return status;
  }

  private boolean isStopping() {
    return stopping.getCount() == 0;
  }

  /** Waits for the learner to create the topics; false if asked to stop before. */
  private boolean awaitTopics() throws InterruptedException {
    TopicCatalogue topics = settings.topics();
    TopicWait wait =
        new TopicWait(
            clients.admin(), List.of(topics.prompts(), topics.rollouts(), topics.snapshots()));
    Outage broker = outage("the broker");
    long statusEveryMs = TimeUnit.SECONDS.toMillis(settings.producer().statusEverySeconds());
    long nextLineMs = clock.millis();
    while (!isStopping()) {
      try {
        List<String> missing = wait.missing();
        if (missing.isEmpty()) {
          return true;
        }
        broker.recovered();
        if (clock.millis() >= nextLineMs) {
          log.info("Waiting for topics that the learner creates: {}", missing);
          nextLineMs = clock.millis() + statusEveryMs;
        }
      } catch (KafkaException e) {
        broker.failed(e, clock.millis());
      }
      if (stopping.await(TOPIC_POLL_MS, TimeUnit.MILLISECONDS)) {
        return false;
      }
    }
    return false;
  }

  private void serve() throws InterruptedException {
    Path directory = settings.modelDirectory();
    ModelConfig model = ModelDirectory.loadConfig(directory);
    Tokenizer tokenizer = Tokenizer.load(directory.resolve("tokenizer.json"));
    ParameterLayout layout = ParameterLayout.of(model);
    RecordedLogprob recorded = settings.producer().behaviorLogprob();
    GroupAssembler assembler =
        new GroupAssembler(
            layout.modelHash(), tokenizer.sha256(), settings.producer().id(), recorded);
    Mixture mixture = Mixture.of(settings.producer());
    boolean inFlightUpdates = settings.producer().inFlightUpdates();
    TorchRuntime.start(settings.threads());
    try (GenerationThread generation =
        new GenerationThread(
            () -> {
              TorchRuntime.prepareThread();
              PolicySampler sampler =
                  new PolicySampler(model, device(), mixture.size(), inFlightUpdates, recorded);
              return new GroupGenerator(
                  assembler,
                  model.maxPositions(),
                  tokenizer,
                  sampler,
                  mixture,
                  inFlightUpdates,
                  GenerationLimit.ofSeconds(settings.producer().generationTimeoutSeconds()),
                  clock);
            })) {
      serve(layout, assembler, mixture, generation);
    }
  }

  private void serve(
      ParameterLayout layout,
      GroupAssembler assembler,
      Mixture mixture,
      GenerationThread generation)
      throws InterruptedException {
    TopicCatalogue topics = settings.topics();
    Outage broker = outage("the broker");
    Tally tally = new Tally(observer);
    VersionCache versions = new VersionCache(versionsKept(), versionsAtMost(layout));
    SnapshotLog snapshots =
        new SnapshotLog(
            clients.snapshots(),
            clients.codec(),
            topics.snapshots().name(),
            new SnapshotFollower(
                settings.runId(), layout.modelHash(), layout.size(), versions::put),
            versions,
            tally::observed);
    PromptBacklog<EncodedGroup> backlog = new PromptBacklog<>();
    PromptSource prompts =
        new PromptSource(
            clients.prompts(),
            clients.codec(),
            topics.prompts().name(),
            settings.runId(),
            backlog,
            tally,
            broker,
            clock);
    RolloutPublisher publisher =
        new RolloutPublisher(
            clients.producer(),
            settings.transactionalId(),
            broker,
            outage("publishing to " + topics.rollouts().name()),
            clock);
    ServingLoop loop =
        new ServingLoop(
            prompts,
            backlog,
            snapshots,
            mixture,
            generation,
            new Admission(assembler, settings.producer().maxStarts(), clock),
            new GroupEncoder(clients.codec(), topics.rollouts()),
            publisher,
            outage("the schema registry"),
            broker,
            tally,
            clock);
    publisher.start();
    broker.retry(snapshots::start, clock);
    prompts.join();
    log.info(
        "Producer {} serves run {}, model {}",
        settings.producer().id(),
        settings.runId(),
        layout.modelHash());
    turnUntilStopped(loop);
    loop.leave();
    status = loop.status();
  }

  private void turnUntilStopped(ServingLoop loop) throws InterruptedException {
    StatusLine line =
        new StatusLine(
            TimeUnit.SECONDS.toMillis(settings.producer().statusEverySeconds()), clock.millis());
    while (!isStopping()) {
      try {
        loop.turn();
      } catch (WakeupException e) {
        continue; // asked to stop
      }
      status = loop.status();
      if (line.isDue(clock.millis())) {
        log.info("{}", line.write(status, clock.millis()));
      }
    }
  }

  private int versionsKept() {
    return Math.toIntExact(settings.producer().versionsKept() + settings.producer().reach());
  }

  /** As many versions as take up a quarter of the heap. */
  private static int versionsAtMost(ParameterLayout layout) {
    long versionBytes = (long) layout.size() * Float.BYTES;
    return (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 4 / versionBytes);
  }

  private Outage outage(String dependency) {
    return new Outage(
        dependency, TimeUnit.SECONDS.toMillis(settings.producer().unavailableDeadlineSeconds()));
  }

  private Device device() {
    String device = settings.device();
    return device.equals("cpu")
        ? Device.cpu()
        : Device.gpu(Integer.parseInt(device.substring("gpu:".length())));
  }
}
