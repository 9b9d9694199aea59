package org.p3ostream.deploy.experiment.run;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.p3ostream.deploy.experiment.outcome.RunResult;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.schemas.topic.TopicCatalogue;
import org.p3ostream.schemas.topic.TopicSpec;

/** Deletes topics of runs: those of executions that were cut short, and what need not be kept. */
final class RunTopicsCleanup {

  private final Admin admin;

  RunTopicsCleanup(Admin admin) {
    this.admin = admin;
  }

  /** Deletes all that earlier executions of {@code runs} have left. */
  void deleteLeftOf(ExperimentPlan plan, List<PlannedRun> runs)
      throws InterruptedException, ExecutionException {
    Set<String> existing = admin.listTopics().names().get();
    List<String> left =
        runs.stream()
            .map(run -> RunConfiguration.topicPrefix(plan, run))
            .flatMap(prefix -> existing.stream().filter(topic -> topic.startsWith(prefix)))
            .toList();
    admin.deleteTopics(left).all().get();
  }

  /** Deletes what is not kept of a run that is over, unless that was done before. */
  void deleteNoted(ExperimentDirectory directory, PlannedRun run, RunResult result)
      throws InterruptedException, ExecutionException {
    Optional<KeptTopics> kept = directory.notedCleanup(run);
    if (kept.isPresent()) {
      deleteAllBut(kept.get(), new TopicCatalogue(result.trace().topicPrefix()));
      directory.forgetCleanup(run);
    }
  }

  private void deleteAllBut(KeptTopics kept, TopicCatalogue topics)
      throws InterruptedException, ExecutionException {
    Set<String> existing = admin.listTopics().names().get();
    List<String> deleted =
        kept.deleted(topics).stream().map(TopicSpec::name).filter(existing::contains).toList();
    admin.deleteTopics(deleted).all().get();
  }
}
