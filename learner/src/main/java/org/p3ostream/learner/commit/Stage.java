package org.p3ostream.learner.commit;

import java.util.Locale;

/** What a learner does between two moments at which it can be killed, in the order of a run. */
public enum Stage {
  /** Fencing older learners, which ends their open transaction. */
  FENCE,
  /** Loading a checkpoint and executing what it lacks again. */
  RECOVER,
  /** Pre-pass and update of a window. */
  TRAIN,
  /** Preparing the bytes of a step. */
  ENCODE,
  /** Beginning a transaction. */
  BEGIN,
  /** Sending its records until every one is acknowledged. */
  SEND,
  /** Adding the consumed offsets to it. */
  OFFSETS,
  /** Committing it. */
  COMMIT,
  /** Writing the files of a checkpoint aside. */
  CHECKPOINT_FILES,
  /** Giving a whole checkpoint its name. */
  CHECKPOINT_RENAME,
  /** Removing the oldest checkpoints. */
  CHECKPOINT_PRUNE;

  /** Name in lower case with hyphens. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
