package org.p3ostream.learner.audit;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.topic.TopicCatalogue;

/**
 * What is audited.
 *
 * @param expectedRunId run that the caller means
 * @param topicPrefix prefix of its topics
 * @param first first event of the ledger; null if there is none or it cannot be read
 * @param extents of every partition that exists, those of the other run of a fork included
 * @param missingTopics names of topics that should exist and do not
 */
public record AuditScope(
    String expectedRunId,
    String topicPrefix,
    @Nullable StepEvent first,
    List<PartitionExtent> extents,
    List<String> missingTopics) {

  public AuditScope {
    extents = List.copyOf(extents);
    missingTopics = List.copyOf(missingTopics);
  }

  /** Where the run was forked from; null for a run of its own. */
  public @Nullable ForkOrigin fork() {
    return first == null ? null : first.getForkOf();
  }

  /** Topics of the run. */
  public TopicCatalogue topics() {
    return new TopicCatalogue(topicPrefix);
  }

  /** Topic in which the records of the windows lie: that of the other run for a fork. */
  public String rolloutsTopic() {
    ForkOrigin fork = fork();
    return new TopicCatalogue(fork == null ? topicPrefix : fork.getTopicPrefix()).rollouts().name();
  }

  /** The ledger of the run that this one was forked from; null for a run of its own. */
  public @Nullable String originStepsTopic() {
    ForkOrigin fork = fork();
    return fork == null ? null : new TopicCatalogue(fork.getTopicPrefix()).steps().name();
  }

  /** Run that the ledger says it is of: so that one wrong name is one problem. */
  String runId() {
    return first == null ? expectedRunId : first.getRunId();
  }

  /** Run whose producers sampled the windows. */
  String rolloutsRunId() {
    ForkOrigin fork = fork();
    return fork == null ? runId() : fork.getRunId();
  }

  boolean exists(String topic) {
    return extents.stream().anyMatch(extent -> extent.topic().equals(topic));
  }

  int partitions(String topic) {
    return (int) extents.stream().filter(extent -> extent.topic().equals(topic)).count();
  }

  /** Whether a record must belong to an event of the audited ledger. */
  boolean isKnown(AuditedRecord record) {
    return extent(record.topic(), record.partition())
        .map(extent -> record.recordOffset() < extent.knownEnd())
        .orElse(false);
  }

  /** First offset of a partition; 0 for one that does not exist. */
  long firstOffset(String topic, int partition) {
    return extent(topic, partition).map(PartitionExtent::firstOffset).orElse(0L);
  }

  /** First offset behind a partition; 0 for one that does not exist. */
  long endOffset(String topic, int partition) {
    return extent(topic, partition).map(PartitionExtent::endOffset).orElse(0L);
  }

  private Optional<PartitionExtent> extent(String topic, int partition) {
    return extents.stream()
        .filter(extent -> extent.partition() == partition && extent.topic().equals(topic))
        .findFirst();
  }
}
