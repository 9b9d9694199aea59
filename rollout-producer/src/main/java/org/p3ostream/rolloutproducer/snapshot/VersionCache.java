package org.p3ostream.rolloutproducer.snapshot;

import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/** The newest policy versions, and older ones while somebody asks for them. */
public final class VersionCache {

  private final int versionsKept;
  private final TreeMap<Long, PolicyWeights> byVersion = new TreeMap<>();
  private Set<Long> wanted = Set.of();

  /**
   * Creates an empty cache.
   *
   * @param versionsKept K, newest versions kept; the wanted ones come on top
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

  /** Keeps {@code versions} however old they are, until others are wanted. */
  public void want(Collection<Long> versions) {
    wanted = Set.copyOf(versions);
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
    return wanted.contains(version);
  }

  private int newerThan(long version) {
    return byVersion.tailMap(version, false).size();
  }
}
