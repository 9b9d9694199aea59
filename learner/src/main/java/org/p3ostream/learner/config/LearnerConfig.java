package org.p3ostream.learner.config;

/**
 * How the learner runs. Nothing here changes the trained weights, but for the rounding that follows
 * the cut into micro-batches and, out of lockstep, for what a window that is held back was sampled
 * with.
 *
 * @param steps number of windows after which the learner ends, counted from the start of the run
 * @param transactionalId id that fences an older learner of the same run; empty takes one per topic
 *     prefix
 * @param microBatchTokens token budget of one micro-batch, padding included
 * @param retainedGraphTokens tokens, padding included, whose autograd graphs each replica may keep
 *     from the pre-pass to the backward pass; the rest is run forward again. A token takes 16 KB in
 *     the nano model and 69 KB with 0.85 million parameters in four layers; only an ESS of the
 *     whole step needs it
 * @param checkpointDirectory where checkpoints are kept
 * @param checkpointEvery steps between checkpoints
 * @param checkpointsKept newest checkpoints kept
 * @param topicReplication replication factor of the topics it creates
 * @param replicas data-parallel copies of the model in this process
 * @param contextShards shards of a sequence whose queries are computed apart from each other
 * @param snapshotCache behaviour snapshots, one per policy version, kept in memory
 * @param holdBackWindows L: a window is trained only once the next L windows lie complete in the
 *     topic, or all that are left up to {@code steps}; see {@link StalenessGates}
 */
public record LearnerConfig(
    long steps,
    String transactionalId,
    int microBatchTokens,
    int retainedGraphTokens,
    String checkpointDirectory,
    int checkpointEvery,
    int checkpointsKept,
    short topicReplication,
    int replicas,
    int contextShards,
    int snapshotCache,
    int holdBackWindows) {
  public LearnerConfig {
    require(steps >= 0, "steps", steps, "must be >= 0");
    require(microBatchTokens >= 1, "microBatchTokens", microBatchTokens, "must be >= 1");
    require(retainedGraphTokens >= 0, "retainedGraphTokens", retainedGraphTokens, "must be >= 0");
    require(checkpointEvery >= 1, "checkpointEvery", checkpointEvery, "must be >= 1");
    require(checkpointsKept >= 1, "checkpointsKept", checkpointsKept, "must be >= 1");
    require(topicReplication >= 1, "topicReplication", topicReplication, "must be >= 1");
    require(replicas >= 1, "replicas", replicas, "must be >= 1");
    require(contextShards >= 1, "contextShards", contextShards, "must be >= 1");
    require(snapshotCache >= 1, "snapshotCache", snapshotCache, "must be >= 1");
    require(holdBackWindows >= 0, "holdBackWindows", holdBackWindows, "must be >= 0 windows");
  }

  public static LearnerConfig defaults() {
    return new LearnerConfig(150, "", 4096, 65536, "checkpoints", 20, 3, (short) 1, 1, 1, 4, 0);
  }

  private static void require(boolean holds, String key, long value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("learner." + key + ": " + value + " " + rule);
    }
  }
}
