package org.p3ostream.rolloutproducer.runtime;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.p3ostream.rolloutproducer.backlog.FinishedBatch;
import org.p3ostream.rolloutproducer.backlog.PendingPrompt;
import org.p3ostream.rolloutproducer.backlog.PromptBacklog;
import org.p3ostream.rolloutproducer.generation.Mixture;
import org.p3ostream.rolloutproducer.snapshot.SnapshotLog;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.serde.RegistryUnavailableException;
import org.p3ostream.schemas.snapshot.PolicyWeights;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes prompts in hand, has them sampled one after the other, publishes what is finished as soon
 * as nothing more can be started, and takes the next prompts. While a group is sampled it keeps
 * polling with closed partitions.
 */
final class ServingLoop {
  private static final Logger log = LoggerFactory.getLogger(ServingLoop.class);

  private static final Duration NO_WAIT = Duration.ZERO;
  private static final Duration PROMPTS_WAIT = Duration.ofMillis(100);
  private static final Duration WEIGHTS_WAIT = Duration.ofMillis(50);
  private static final Duration GENERATION_WAIT = Duration.ofMillis(20);
  private static final Duration MARK_WAIT = Duration.ofMillis(2);

  private final PromptSource prompts;
  private final PromptBacklog<EncodedGroup> backlog;
  private final SnapshotLog snapshots;
  private final SamplingWeights weights;
  private final GenerationThread generation;
  private final Admission admission;
  private final GroupEncoder encoder;
  private final RolloutPublisher publisher;
  private final Outage registry;
  private final Outage broker;
  private final BrokerProbe probe;
  private final Tally tally;
  private final Clock clock;
  private GenerationThread.@Nullable Generated unencoded;

  ServingLoop(
      PromptSource prompts,
      PromptBacklog<EncodedGroup> backlog,
      SnapshotLog snapshots,
      Mixture mixture,
      GenerationThread generation,
      Admission admission,
      GroupEncoder encoder,
      RolloutPublisher publisher,
      Outage registry,
      Outage broker,
      Tally tally,
      Clock clock) {
    this.prompts = prompts;
    this.backlog = backlog;
    this.snapshots = snapshots;
    this.weights = new SamplingWeights(snapshots.versions(), mixture);
    this.generation = generation;
    this.admission = admission;
    this.encoder = encoder;
    this.publisher = publisher;
    this.registry = registry;
    this.broker = broker;
    this.probe = new BrokerProbe(snapshots, broker, clock);
    this.tally = tally;
    this.clock = clock;
  }

  /**
   * One round; returns after some tens of milliseconds at most, or when something came. Takes
   * longer while the broker is away.
   */
  void turn() throws InterruptedException {
    try {
      round();
      probe.probeIfDue();
    } catch (TimeoutException e) {
      broker.failed(e, clock.millis());
    }
  }

  private void round() throws InterruptedException {
    try {
      poll();
      encodeGenerated();
      startNext();
      registry.recovered();
    } catch (RegistryUnavailableException e) {
      registry.failed(e, clock.millis());
    }
    if (!isSampling() && !prompts.markUnderWay()) {
      publishFinished();
    }
    recallMissing();
    prompts.openPartitions(isBlocked() && backlog.finished().isEmpty());
  }

  private void poll() throws InterruptedException {
    if (registry.lasts()) {
      prompts.poll(PROMPTS_WAIT);
      snapshots.poll(NO_WAIT);
    } else if (generation.isBusy()) {
      prompts.poll(NO_WAIT);
      snapshots.poll(NO_WAIT);
      snapshots.versions().newest().ifPresent(generation::offer);
      generation.await(GENERATION_WAIT).ifPresent(generated -> unencoded = generated);
    } else if (prompts.markUnderWay()) {
      prompts.poll(MARK_WAIT);
      snapshots.poll(NO_WAIT);
    } else if (isBlocked()) {
      prompts.poll(NO_WAIT);
      snapshots.poll(WEIGHTS_WAIT);
    } else {
      prompts.poll(PROMPTS_WAIT);
      snapshots.poll(NO_WAIT);
    }
  }

  private void encodeGenerated() {
    GenerationThread.Generated generated = unencoded;
    if (generated == null) {
      return;
    }
    EncodedGroup encoded = encoder.encode(generated.group());
    unencoded = null;
    tally.sampled(generated.group());
    if (!backlog.finish(generated.position(), encoded)) {
      log.info("Dropped the group of {}: its partition was given away", generated.position());
      tally.groupDropped();
    }
  }

  /** Starts the next prompt that can be; those that are refused on the way are finished at once. */
  private void startNext() {
    while (!isSampling() && !(backlog.holdsSuspect() && !backlog.finished().isEmpty())) {
      Optional<PendingPrompt> next = backlog.nextStartable(this::isServable);
      if (next.isEmpty()) {
        return;
      }
      start(next.get());
      encodeGenerated();
    }
  }

  private void start(PendingPrompt prompt) {
    prompts.mark(backlog.startMarks(prompt.position()));
    backlog.start(prompt.position());
    Optional<RolloutGroup> refusal = admission.refusal(prompt);
    if (refusal.isPresent()) {
      unencoded = new GenerationThread.Generated(prompt.position(), refusal.get());
    } else {
      generation.start(prompt, weights.of(prompt.task()).orElseThrow());
    }
  }

  private boolean isServable(PendingPrompt prompt) {
    return admission.refuses(prompt) || weights.of(prompt.task()).isPresent();
  }

  private void publishFinished() {
    FinishedBatch<EncodedGroup> batch = backlog.finished();
    if (batch.isEmpty()) {
      return;
    }
    long startNanos = System.nanoTime();
    RolloutPublisher.Outcome outcome = publisher.publish(batch, prompts.groupMetadata());
    if (outcome instanceof RolloutPublisher.Outcome.Aborted aborted) {
      tally.transactionAborted();
      aborted.tooLarge().forEach(this::giveUp);
    } else {
      tally.published(batch.results(), (System.nanoTime() - startNanos) / 1e6);
      backlog.published(batch);
    }
  }

  /** Else the same group would abort every transaction. */
  private void giveUp(EncodedGroup tooLarge) {
    if (tooLarge.failed()) {
      return; // no less can be said
    }
    log.warn("Gave up a group of {} bytes: too large", tooLarge.record().value().length);
    try {
      backlog.replace(tooLarge, encoder.withoutResponses(tooLarge));
    } catch (RegistryUnavailableException e) {
      log.debug("It is sent once more", e);
    }
  }

  private void recallMissing() {
    Optional<PromptTask> blocked =
        (isBlocked() ? backlog.heads() : List.<PendingPrompt>of())
            .stream()
                .map(PendingPrompt::task)
                .filter(task -> weights.missing(task).isPresent())
                .findFirst();
    blocked.ifPresent(task -> snapshots.versions().want(weights.needed(task)));
    OptionalLong missing = blocked.map(weights::missing).orElse(OptionalLong.empty());
    snapshots.recallIfDue(
        missing,
        blocked.map(task -> manifestOffset(task, missing)).orElse(OptionalLong.empty()),
        clock.millis());
  }

  /** Where the task says that the manifest of a version lies, if it is of that one. */
  private static OptionalLong manifestOffset(PromptTask task, OptionalLong version) {
    boolean told = version.equals(optional(Optional.ofNullable(task.getExactPolicyVersion())));
    return told ? optional(Optional.ofNullable(task.getManifestOffset())) : OptionalLong.empty();
  }

  private static OptionalLong optional(Optional<Long> value) {
    return value.stream().mapToLong(Long::longValue).findFirst();
  }

  private boolean isSampling() {
    return generation.isBusy() || unencoded != null;
  }

  /** Whether prompts are in hand and none of them can be started. */
  private boolean isBlocked() {
    return !isSampling() && !backlog.isEmpty();
  }

  /** Publishes what is finished and gives the rest back. */
  void leave() {
    prompts.leave();
    publishFinished();
  }

  ProducerStatus status() {
    long version = snapshots.versions().newest().map(PolicyWeights::version).orElse(-1L);
    return tally.status(version, waitingFor());
  }

  private String waitingFor() {
    if (registry.lasts()) {
      return "schema registry";
    }
    if (broker.lasts()) {
      return "broker";
    }
    if (isSampling()) {
      return "";
    }
    List<PendingPrompt> heads = backlog.heads();
    if (heads.isEmpty()) {
      return backlog.isEmpty() ? "prompts" : "broker";
    }
    PromptTask task = heads.get(0).task();
    OptionalLong missing = weights.missing(task);
    if (missing.isPresent()) {
      return "policy version " + missing.getAsLong();
    }
    return task.getExactPolicyVersion() == null
        ? "policy version >= " + task.getMinPolicyVersion()
        : "policy version " + task.getExactPolicyVersion();
  }
}
