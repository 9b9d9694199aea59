package org.p3ostream.deploy.demo;

import org.p3ostream.deploy.clients.RoleClients;
import org.p3ostream.deploy.evaluation.HeldOutEvaluation;
import org.p3ostream.deploy.progress.LogFollower;
import org.p3ostream.deploy.progress.RolloutCensus;
import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.deploy.progress.SnapshotArchive;
import org.p3ostream.schemas.snapshot.SnapshotAssembler.Complete;
import org.p3ostream.schemas.topic.TopicCatalogue;

/** Measures a finished run from its log, by consumers of its own. */
final class DemoAudit {

  private static final long EVALUATION_SEED = 1;

  private final RoleClients clients;
  private final TopicCatalogue topics;

  DemoAudit(RoleClients clients, TopicCatalogue topics) {
    this.clients = clients;
    this.topics = topics;
  }

  /** Who generated how much. */
  RolloutCensus census() {
    return RolloutCensus.read(
        new LogFollower(clients.reader(), clients.codec(), topics.rollouts()));
  }

  /**
   * The last weights, rebuilt from the snapshots.
   *
   * @throws IllegalStateException if the last ones are not those of the ledger's last event
   */
  SnapshotArchive snapshots(RunStatistics run) {
    SnapshotArchive archive =
        SnapshotArchive.read(
            new LogFollower(clients.reader(), clients.codec(), topics.snapshots()));
    Complete newest = archive.newest();
    if (!newest.manifest().getSha256().equals(run.weightsSha256())) {
      throw new IllegalStateException(
          "the newest snapshot (version %d) rebuilds weights %s, the ledger ends with version %d, %s"
              .formatted(
                  newest.manifest().getVersion(),
                  newest.manifest().getSha256(),
                  run.policyVersion(),
                  run.weightsSha256()));
    }
    return archive;
  }

  /** Exact match on held-out prompts. */
  double exactMatch(HeldOutEvaluation evaluation, float[] weights) {
    return evaluation.exactMatch(weights, EVALUATION_SEED);
  }
}
