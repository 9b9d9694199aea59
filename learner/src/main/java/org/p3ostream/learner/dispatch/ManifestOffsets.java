package org.p3ostream.learner.dispatch;

import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Where in `snapshots` the manifests of committed versions lie: noted as they are committed, looked
 * for in the log after a restart. Holds the versions that open groups ask for and newer ones.
 */
public final class ManifestOffsets {
  private final LongFunction<OptionalLong> log;
  private final TreeMap<Long, OptionalLong> byVersion = new TreeMap<>();

  /**
   * @param log looks for the manifest of a version that this learner has not committed itself;
   *     empty if it is gone. Asked once per version
   */
  public ManifestOffsets(LongFunction<OptionalLong> log) {
    this.log = log;
  }

  /** Notes where the manifest of a version was committed. */
  public void committed(long version, long manifestOffset) {
    byVersion.put(version, OptionalLong.of(manifestOffset));
  }

  /** Nothing older is asked for any more. */
  public void forgetBelow(long version) {
    byVersion.headMap(version).clear();
  }

  /** Offset of the manifest of a committed version; null if it cannot be found. */
  @Nullable Long of(long version) {
    OptionalLong found = byVersion.computeIfAbsent(version, log::apply);
    return found.isPresent() ? found.getAsLong() : null;
  }
}
