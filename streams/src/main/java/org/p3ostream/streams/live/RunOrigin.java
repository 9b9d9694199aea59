package org.p3ostream.streams.live;

import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.StepEvent;

/**
 * How a run began; two runs of the same id differ in it.
 *
 * @param startedAt when GENESIS was prepared, milliseconds since the epoch
 * @param scheduleSteps length of the learning-rate schedule in steps; null if GENESIS names none
 */
public record RunOrigin(long startedAt, @Nullable Long scheduleSteps) {

  static RunOrigin of(StepEvent genesis) {
    return new RunOrigin(genesis.getCommittedAt(), genesis.getScheduleSteps());
  }
}
