package org.p3ostream.policy.model;

/**
 * The cut of a sequence of T columns into C shards: shard c holds the columns from floor(c·T/C) to
 * floor((c+1)·T/C). Shards differ by at most one column; with T < C some have none.
 *
 * @param count C, ≥ 1
 */
public record ContextShards(int count) {

  /** Sequences stay whole. */
  public static final ContextShards NONE = new ContextShards(1);

  public ContextShards {
    if (count < 1) {
      throw new IllegalArgumentException("context shards: " + count + " must be >= 1");
    }
  }

  /**
   * The shard that holds a column: the largest c with floor(c·T/C) ≤ t.
   *
   * @param column t, in [0, T)
   * @param columns T
   */
  public int of(int column, int columns) {
    return (int) ((count * (column + 1L) - 1) / columns);
  }
}
