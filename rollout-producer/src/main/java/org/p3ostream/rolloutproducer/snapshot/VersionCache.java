package org.p3ostream.rolloutproducer.snapshot;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/**
 * The newest policy versions, and older ones while somebody asks for them. Prompts that ask for old
 * versions ask for the one after it next: as far back as they have asked once, versions are kept
 * from then on, so that the topic is not read again for every one of them.
 */
public final class VersionCache {

  private final int versionsKept;
  private final int versionsAtMost;
  private final TreeMap<Long, PolicyWeights> byVersion = new TreeMap<>();
  private Set<Long> wanted = Set.of();
  private int depth; // newest versions kept now

  /**
   * Creates an empty cache.
   *
   * @param versionsKept K, newest versions kept; the wanted ones come on top
   * @param versionsAtMost how far back K follows what is asked for; what is asked for from farther
   *     back is kept alone
   */
  public VersionCache(int versionsKept, int versionsAtMost) {
    if (versionsKept < 1) {
      throw new IllegalArgumentException("versionsKept must be >= 1, was " + versionsKept);
    }
    this.versionsKept = versionsKept;
    this.versionsAtMost = versionsAtMost;
    this.depth = versionsKept;
  }

  /** K. */
  int versionsKept() {
    return versionsKept;
  }

  /** Keeps {@code versions} however old they are, until others are wanted. */
  public void want(Collection<Long> versions) {
    wanted = Set.copyOf(versions);
    reachBack();
    evict();
  }

  private void reachBack() {
    if (wanted.isEmpty() || byVersion.isEmpty()) {
      return;
    }
    long reach = byVersion.lastKey() - Collections.min(wanted) + 1;
    if (reach > depth && reach <= versionsAtMost) {
      depth = (int) reach;
    }
  }

  /**
   * Whether {@link #put} of this version would change anything: what is false is not worth
   * decoding.
   */
  public boolean hasUseFor(long version) {
    if (byVersion.containsKey(version)) {
      return false;
    }
    return isWanted(version) || newerThan(version) < depth;
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
    byVersion.keySet().removeIf(version -> !isWanted(version) && newerThan(version) >= depth);
  }

  private boolean isWanted(long version) {
    return wanted.contains(version);
  }

  private int newerThan(long version) {
    return byVersion.tailMap(version, false).size();
  }
}
