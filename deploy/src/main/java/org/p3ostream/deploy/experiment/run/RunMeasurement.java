package org.p3ostream.deploy.experiment.run;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.audit.AuditQuestion;
import org.p3ostream.deploy.audit.RunAudit;
import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.experiment.outcome.Audited;
import org.p3ostream.deploy.experiment.outcome.Evaluated;
import org.p3ostream.deploy.experiment.outcome.StepFigures;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.progress.RolloutCensus;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/**
 * What is measured of a run that has ended, out of its log.
 *
 * @param failure why there is nothing; null if there is
 * @param audit null together with the evaluations
 * @param generatedTokens response tokens in the log
 * @param endOffsets first offset behind each partition
 */
record RunMeasurement(
    @Nullable String failure,
    List<Evaluated> evaluations,
    @Nullable Audited audit,
    long generatedTokens,
    Map<String, Long> endOffsets) {

  /** Of a run that cannot be measured. */
  static RunMeasurement none(String failure) {
    return new RunMeasurement(failure, List.of(), null, 0, Map.of());
  }

  /**
   * Evaluates, audits and counts.
   *
   * @param steps all of the run
   * @param weightsSha256 of the newest version
   */
  static RunMeasurement of(
      P3oConfig config,
      RoleClients clients,
      TopicCatalogue topics,
      Evaluations evaluations,
      List<StepFigures> steps,
      String weightsSha256)
      throws InterruptedException, ExecutionException {
    return new RunMeasurement(
        null,
        evaluations.of(
            steps,
            weightsSha256,
            new LogFollower(clients.reader(), clients.codec(), topics.snapshots())),
        Audited.of(new RunAudit(config, clients, line -> {}).run(AuditQuestion.NONE).report()),
        RolloutCensus.read(new LogFollower(clients.reader(), clients.codec(), topics.rollouts()))
            .generatedTokens(),
        endOffsets(clients.admin(), topics));
  }

  private static Map<String, Long> endOffsets(Admin admin, TopicCatalogue topics)
      throws InterruptedException, ExecutionException {
    List<TopicSpec> told = List.of(topics.steps(), topics.rollouts(), topics.snapshots());
    Map<TopicPartition, OffsetSpec> asked =
        told.stream()
            .flatMap(
                topic ->
                    IntStream.range(0, topic.partitions())
                        .mapToObj(partition -> new TopicPartition(topic.name(), partition)))
            .collect(Collectors.toMap(partition -> partition, partition -> OffsetSpec.latest()));
    Map<String, Long> ends = new TreeMap<>();
    admin
        .listOffsets(asked)
        .all()
        .get()
        .forEach(
            (partition, end) ->
                ends.put(
                    partition.topic().substring(topics.prefix().length())
                        + "-"
                        + partition.partition(),
                    end.offset()));
    return ends;
  }
}
