package org.p3ostream.streams.live;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.ForkOrigin;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * How a run began; two runs of the same id differ in it.
 *
 * @param startedAt when GENESIS was prepared, milliseconds since the epoch
 * @param scheduleSteps length of the learning-rate schedule in steps; null if GENESIS names none
 * @param forkOf the run that this one is a fork of; null for none
 */
public record RunOrigin(long startedAt, @Nullable Long scheduleSteps, @Nullable Fork forkOf) {

  /**
   * Where in which other run a fork begins.
   *
   * @param step last step that both share; −1 for GENESIS
   */
  public record Fork(String runId, String topicPrefix, long step) {}

  static RunOrigin of(StepEvent genesis) {
    ForkOrigin fork = genesis.getForkOf();
    return new RunOrigin(
        genesis.getCommittedAt(),
        genesis.getScheduleSteps(),
        fork == null ? null : new Fork(fork.getRunId(), fork.getTopicPrefix(), fork.getStep()));
  }
}
