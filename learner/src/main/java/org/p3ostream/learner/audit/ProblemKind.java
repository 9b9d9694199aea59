package org.p3ostream.learner.audit;

/** What can be wrong with the log of a run. */
public enum ProblemKind {

  /** The ledger has no event: nothing has begun under this prefix. */
  NO_LEDGER,

  /** A topic of the run does not exist. */
  TOPIC_MISSING,

  /** A record of the ledger, or one that the learner wrote elsewhere, cannot be read. */
  UNREADABLE,

  /** The broker keeps records that do not match their own checksum: bits have changed on disk. */
  DAMAGED,

  /** A record belongs to another run. */
  FOREIGN_RUN,

  /** An event does not name the hash of the event before it. */
  CHAIN_BREAK,

  /** The ledger does not begin with GENESIS, has a second one, or one without a definition. */
  GENESIS,

  /** A window is left out, repeated, or waited for in the wrong place. */
  STEP_ORDER,

  /** The policy version does not go on where it was, or moves when it must not. */
  VERSION_ORDER,

  /** The weights change without a step. */
  WEIGHTS_CHANGED,

  /** An event does not carry the hash of the definition in force. */
  CONFIG_HASH,

  /** A learner wrote after another had taken over. */
  EPOCH_ORDER,

  /** A group is dispatched out of its turn. */
  DISPATCH_ORDER,

  /**
   * A group, or an attempt of it, is trained that nobody dispatched; or a whole group is absent.
   */
  NOT_DISPATCHED,

  /** A group is trained in a window that it does not belong to. */
  WRONG_WINDOW,

  /** A group was sampled by a version that did not exist yet, or an older one than asked for. */
  POLICY_VERSION,

  /** A group or a record is trained, or passed, a second time. */
  TRAINED_TWICE,

  /** A group is given up that was settled, or settled after it was given up. */
  GIVEN_UP_TWICE,

  /** A dispatched group whose window is over was neither trained, passed nor given up. */
  LOST,

  /** A record that the ledger names is not there. */
  MISSING_RECORD(true),

  /** A record is not the group that the ledger trained. */
  GROUP_MISMATCH,

  /** Records are gone that no TRIM of the ledger allows to be deleted. */
  RECORDS_GONE,

  /** A record is both trained and skipped. */
  TRAINED_AND_SKIPPED,

  /** A record is skipped twice. */
  SKIPPED_TWICE,

  /** A record was passed in silence: progress lies beyond it, but nothing names it. */
  UNACCOUNTED,

  /** The ledger names a record that its progress would consume again. */
  PROGRESS_BEHIND,

  /** Progress goes back, or beyond the end of the topic. */
  PROGRESS_ORDER,

  /** A skipped record has no dead letter. */
  DEAD_LETTER_MISSING(true),

  /** A dead letter says something else than the ledger or than the record it speaks of. */
  DEAD_LETTER_MISMATCH,

  /** A dead letter speaks of a record that the ledger did not skip. */
  DEAD_LETTER_UNRECORDED(true),

  /** A record has two dead letters. */
  DEAD_LETTER_TWICE,

  /** A dispatched group has no prompt. */
  PROMPT_MISSING(true),

  /** A prompt says something else than its dispatch. */
  PROMPT_MISMATCH,

  /** A prompt was not dispatched by the ledger. */
  PROMPT_UNRECORDED(true),

  /** A snapshot does not reproduce its own digest, or its chunks are not whole. */
  SNAPSHOT_CORRUPT,

  /** A version of the ledger has no snapshot. */
  SNAPSHOT_MISSING(true),

  /** A snapshot holds other weights than the ledger says. */
  SNAPSHOT_MISMATCH,

  /** A snapshot is of a version that the ledger does not have. */
  SNAPSHOT_UNRECORDED(true),

  /** A version has two snapshots. */
  SNAPSHOT_TWICE,

  /** The event that a fork begins at is not in the ledger of the other run. */
  FORK_ORIGIN;

  private final boolean mayBeLate;

  ProblemKind() {
    this(false);
  }

  ProblemKind(boolean mayBeLate) {
    this.mayBeLate = mayBeLate;
  }

  /**
   * Whether a transaction that is just being committed looks like this: the partitions it wrote to
   * show it one after the other.
   */
  public boolean mayBeLate() {
    return mayBeLate;
  }
}
