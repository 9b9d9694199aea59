package org.p3ostream.deploy.audit;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.log.MergedReader;
import org.p3ostream.deploy.log.RunTopics;
import org.p3ostream.deploy.log.Span;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.audit.AuditScope;
import org.p3ostream.learner.audit.AuditedRecord;
import org.p3ostream.learner.audit.GroupHistory;
import org.p3ostream.learner.audit.LogAudit;
import org.p3ostream.learner.audit.ProblemKind;
import org.p3ostream.learner.audit.VersionOrigin;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.serde.Decoded;
import org.p3ostream.schemas.serde.RecordCodec;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/**
 * Audits a run on its topics, in this process, whether or not the run is going on. Reads only: no
 * group, no commits, no topic is created.
 */
public final class RunAudit {

  /** A transaction that is just being committed may look like damage; then it is read again. */
  private static final int PASSES = 3;

  /** Longer than a transaction of a dead process stays open. */
  private static final long SETTLE_MS = 15_000;

  private static final long SETTLE_PAUSE_MS = 20;

  private final P3oConfig config;
  private final RoleClients clients;
  private final Consumer<String> notice;
  private final TopicCatalogue topics;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final Admin admin;
  private final RecordCodec codec;

  /**
   * @param clients opens one consumer, one admin client and one codec with them
   * @param notice told now and then how far a long audit is
   */
  public RunAudit(P3oConfig config, RoleClients clients, Consumer<String> notice) {
    this.config = config;
    this.clients = clients;
    this.notice = notice;
    this.topics = new TopicCatalogue(config.run().topicPrefix());
    this.consumer = clients.reader();
    this.admin = clients.admin();
    this.codec = clients.codec();
  }

  /** Audits the run that a configuration names, with clients of its own. */
  public static AuditReport of(P3oConfig config) throws Exception {
    try (RoleClients clients = new RoleClients(config)) {
      return new RunAudit(config, clients, line -> {}).run(AuditQuestion.NONE).report();
    }
  }

  /**
   * Audits what is committed at the time of the call.
   *
   * @throws IllegalStateException if the broker does not tell which topics there are, or stops
   *     sending
   */
  public AuditAnswer run(AuditQuestion question) throws InterruptedException {
    for (int pass = 1; ; pass++) {
      Pass read = new Pass(question);
      AuditAnswer answer = read.run();
      boolean mayBeLate =
          answer.report().problemCounts().keySet().stream().anyMatch(ProblemKind::mayBeLate);
      if (!mayBeLate || pass == PASSES || !read.settles()) {
        return answer;
      }
      notice.accept("the run is writing: looking again at what was not there yet");
    }
  }

  /** One reading of the whole log. */
  private final class Pass {
    private final AuditQuestion question;
    private final @Nullable StepEvent first;
    private final List<String> missing = new ArrayList<>();
    private final List<TopicPartition> partitions = new ArrayList<>();
    private final AuditSpans spans;

    Pass(AuditQuestion question) throws InterruptedException {
      this.question = question;
      RunTopics own = new RunTopics(clients, config, topics.all(), notice);
      add(own, topics.steps(), true);
      first = own.partitions(topics.steps()) == 0 ? null : firstEvent();
      ForkOrigin fork = first == null ? null : first.getForkOf();
      add(own, topics.snapshots(), true);
      add(own, topics.prompts(), fork == null);
      add(own, topics.deadLetters(), fork == null);
      if (fork == null) {
        add(own, topics.rollouts(), true);
      } else {
        TopicCatalogue origin = new TopicCatalogue(fork.getTopicPrefix());
        RunTopics others =
            new RunTopics(clients, config, List.of(origin.rollouts(), origin.steps()), notice);
        add(others, origin.rollouts(), true);
        add(others, origin.steps(), true);
      }
      spans = new AuditSpans(consumer, new TopicPartition(topics.steps().name(), 0), partitions);
    }

    private void add(RunTopics existing, TopicSpec topic, boolean required) {
      partitions.addAll(AuditSpans.partitions(topic.name(), existing.partitions(topic)));
      if (required && existing.partitions(topic) == 0) {
        missing.add(topic.name());
      }
    }

    /** The event that the ledger begins with; it says whose log this is. */
    private @Nullable StepEvent firstEvent() {
      TopicPartition ledger = new TopicPartition(topics.steps().name(), 0);
      long from = consumer.beginningOffsets(List.of(ledger)).getOrDefault(ledger, 0L);
      long end = consumer.endOffsets(List.of(ledger)).getOrDefault(ledger, 0L);
      StepEvent[] found = new StepEvent[1];
      new MergedReader(consumer, ledger.topic(), (partition, span, cause) -> {})
          .forward(
              Map.of(ledger, new Span(from, end)),
              record -> {
                if (decode(record) instanceof Decoded.Accepted accepted
                    && accepted.record() instanceof StepEvent event) {
                  found[0] = event;
                }
                return false;
              });
      return found[0];
    }

    AuditAnswer run() {
      LogAudit audit =
          new LogAudit(
              new AuditScope(config.run().id(), topics.prefix(), first, spans.extents(), missing));
      Long version = question.version();
      Long groupId = question.groupId();
      VersionOrigin origin = version == null ? null : new VersionOrigin(version);
      GroupHistory history = groupId == null ? null : new GroupHistory(groupId);
      AuditProgress progress = new AuditProgress(spans.offsets(), notice);
      new MergedReader(
              consumer,
              "the topics of prefix " + topics.prefix(),
              (partition, span, cause) ->
                  audit.damaged(
                      partition.topic(),
                      partition.partition(),
                      span.nextOffset(),
                      span.endOffset(),
                      cause))
          .forward(
              spans.spans(),
              record -> {
                AuditedRecord audited =
                    new AuditedRecord(
                        record.topic(),
                        record.partition(),
                        record.offset(),
                        record.value(),
                        decode(record));
                audit.accept(audited);
                if (origin != null && isOwn(audited, topics.steps())) {
                  origin.accept(audited);
                }
                if (history != null && !isOriginLedger(audited)) {
                  history.accept(audited);
                }
                progress.read();
                return true;
              });
      return new AuditAnswer(audit.finish(), origin, history);
    }

    private boolean isOwn(AuditedRecord record, TopicSpec topic) {
      return record.topic().equals(topic.name());
    }

    /** In a fork the other ledger says what the other run did with the group. */
    private boolean isOriginLedger(AuditedRecord record) {
      ForkOrigin fork = first == null ? null : first.getForkOf();
      return fork != null
          && record.topic().equals(new TopicCatalogue(fork.getTopicPrefix()).steps().name());
    }

    private Decoded decode(ConsumerRecord<byte[], byte[]> record) {
      return codec.decode(record.topic(), record.value());
    }

    /**
     * Waits for what was being written when the ends were taken.
     *
     * @return false if nothing was: what was read is all there is
     */
    boolean settles() throws InterruptedException {
      Map<TopicPartition, Long> written = writtenEnds();
      Map<TopicPartition, Span> read = spans.spans();
      Set<TopicPartition> open =
          written.entrySet().stream()
              .filter(
                  end ->
                      read.getOrDefault(end.getKey(), new Span(0, 0)).endOffset() < end.getValue())
              .map(Map.Entry::getKey)
              .collect(Collectors.toCollection(LinkedHashSet::new));
      boolean moving = !open.isEmpty();
      long deadline = System.nanoTime() + SETTLE_MS * 1_000_000;
      while (!open.isEmpty() && System.nanoTime() < deadline) {
        Map<TopicPartition, Long> ends = consumer.endOffsets(open);
        open.removeIf(p -> ends.getOrDefault(p, 0L) >= written.getOrDefault(p, Long.MAX_VALUE));
        Thread.sleep(SETTLE_PAUSE_MS);
      }
      return moving;
    }

    /** Ends that count records of open transactions too. */
    private Map<TopicPartition, Long> writtenEnds() throws InterruptedException {
      try {
        return admin
            .listOffsets(
                partitions.stream().collect(Collectors.toMap(p -> p, p -> OffsetSpec.latest())))
            .all()
            .get()
            .entrySet()
            .stream()
            .collect(Collectors.toMap(Map.Entry::getKey, end -> offset(end.getValue())));
      } catch (ExecutionException e) {
        throw new IllegalStateException("the ends of the topics cannot be had: " + e.getCause(), e);
      }
    }

    private static long offset(ListOffsetsResultInfo end) {
      return end.offset();
    }
  }
}
