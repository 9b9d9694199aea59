package org.p3ostream.rolloutproducer.snapshot;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/** The newest policy versions, and one older version while somebody asks for it. */
public final class VersionCache {

  private final int versionsKept;
  private final TreeMap<Long, PolicyWeights> byVersion = new TreeMap<>();
  private OptionalLong wanted = OptionalLong.empty();

  /**
   * Creates an empty cache.
   *
   * @param versionsKept K, newest versions kept; the wanted one comes on top
   */
  public VersionCache(int versionsKept) {
    if (versionsKept < 1) {
      throw new IllegalArgumentException("versionsKept must be >= 1, was " + versionsKept);
    }
    this.versionsKept = versionsKept;
  }

  /** K. */
  int versionsKept() {
    return versionsKept;
  }

  /** Keeps {@code version} however old it is, until another one is wanted. */
  public void want(OptionalLong version) {
    wanted = version;
    evict();
  }

  /**
   * Whether {@link #put} of this version would change anything: what is false is not worth
   * decoding.
   */
  public boolean hasUseFor(long version) {
    if (byVersion.containsKey(version)) {
      return false;
    }
    return isWanted(version) || newerThan(version) < versionsKept;
  }

  public void put(PolicyWeights weights) {
    byVersion.put(weights.version(), weights);
    evict();
  }

  /** This version and no other. */
  public Optional<PolicyWeights> exactly(long version) {
    return Optional.ofNullable(byVersion.get(version));
  }

  /** The newest version, if it is {@code minVersion} or newer. */
  public Optional<PolicyWeights> newestSince(long minVersion) {
    return newest().filter(weights -> weights.version() >= minVersion);
  }

  public Optional<PolicyWeights> newest() {
    return Optional.ofNullable(byVersion.lastEntry()).map(Map.Entry::getValue);
  }

  private void evict() {
    byVersion
        .keySet()
        .removeIf(version -> !isWanted(version) && newerThan(version) >= versionsKept);
  }

  private boolean isWanted(long version) {
    return wanted.isPresent() && wanted.getAsLong() == version;
  }

  private int newerThan(long version) {
    return byVersion.tailMap(version, false).size();
  }
}
