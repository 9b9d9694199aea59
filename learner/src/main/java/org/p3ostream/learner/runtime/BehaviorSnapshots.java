package org.p3ostream.learner.runtime;

import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;
import org.p3ostream.learner.forward.BehaviorWeights;
import org.p3ostream.learner.window.BehaviorVersions;

/**
 * Weights of earlier versions; those used last are kept. Version 0 is what the run was opened with
 * and is never looked for: its digest is part of the configuration that the ledger was compared
 * with. One thread at a time looks for a version; the weights are shared by all.
 */
final class BehaviorSnapshots implements BehaviorWeights, BehaviorVersions {
  private final float[] initialWeights; // [P]
  private final LongFunction<float[]> log;
  private final int kept;
  private final BitSet verified = new BitSet(); // versions that were whole once
  private final LinkedHashMap<Long, float[]> byVersion = new LinkedHashMap<>(8, 0.75f, true);

  /**
   * @param initialWeights of version 0, [P]; not to be changed
   * @param log gives the weights of a version, or throws {@link BehaviorSnapshotMissingException}
   * @param kept versions kept in memory beside version 0
   */
  BehaviorSnapshots(float[] initialWeights, LongFunction<float[]> log, int kept) {
    this.initialWeights = initialWeights;
    this.log = log;
    this.kept = kept;
  }

  @Override
  public synchronized float[] of(long version) {
    if (version == 0) {
      return initialWeights;
    }
    float[] held = byVersion.get(version);
    if (held != null) {
      return held;
    }
    float[] found = log.apply(version);
    byVersion.put(version, found);
    verified.set(Math.toIntExact(version));
    if (byVersion.size() > kept) {
      Map.Entry<Long, float[]> eldest = byVersion.entrySet().iterator().next();
      byVersion.remove(eldest.getKey());
    }
    return found;
  }

  @Override
  public synchronized @Nullable String missing(long version) {
    if (verified.get(Math.toIntExact(version))) {
      return null;
    }
    try {
      of(version);
      return null;
    } catch (BehaviorSnapshotMissingException e) {
      return e.reason();
    }
  }
}
