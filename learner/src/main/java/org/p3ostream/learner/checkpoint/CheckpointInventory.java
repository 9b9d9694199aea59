package org.p3ostream.learner.checkpoint;

import java.nio.file.Path;
import java.util.List;

/**
 * What lies in a checkpoint directory.
 *
 * @param usable whole and uncorrupted checkpoints of the run, newest first
 * @param passedOver the others
 */
public record CheckpointInventory(List<Checkpoint> usable, List<PassedOver> passedOver) {

  /**
   * A directory that cannot be started from, and why.
   *
   * @param damaged whether it is not what was written; else it is of another run
   */
  public record PassedOver(Path path, String reason, boolean damaged) {}

  public CheckpointInventory {
    usable = List.copyOf(usable);
    passedOver = List.copyOf(passedOver);
  }
}
