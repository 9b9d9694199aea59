package org.p3ostream.streams.state;

/** Stores that may be queried. */
public final class StoreNames {
  /** Partition of {@code rollouts} (Integer) to {@link PartitionFigures}. */
  public static final String PARTITIONS = "rollouts-passed";

  /** Producer id (String) to {@link ProducerFigures}. */
  public static final String PRODUCERS = "producers";

  /** Step (Long) to {@link WindowFigures}. */
  public static final String WINDOWS = "windows";

  /** Policy version (Long) to {@link VersionFigures}. */
  public static final String VERSIONS = "versions";

  /** Rejection reason (String) to {@link DeadLetterFigures}. */
  public static final String DEAD_LETTERS = "dead-letters-by-reason";

  private StoreNames() {}
}
