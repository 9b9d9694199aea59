package org.p3ostream.rolloutproducer.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.snapshot.PolicyWeights;

class VersionCacheTest {

  private final VersionCache cache = new VersionCache(2, 2);
  private final VersionCache following = new VersionCache(2, 4);

  private void put(long... versions) {
    put(cache, versions);
  }

  private static void put(VersionCache cache, long... versions) {
    for (long version : versions) {
      cache.put(new PolicyWeights(version, new float[0]));
    }
  }

  @Test
  void putKeepsTheNewestVersions() {
    put(0, 1, 2);

    assertThat(cache.exactly(0)).isEmpty();
    assertThat(cache.exactly(1)).isPresent();
    assertThat(cache.exactly(2)).isPresent();
  }

  @Test
  void putKeepsTheWantedVersionsUntilOthersAreWanted() {
    cache.want(Set.of(0L, 1L));
    put(1, 2, 0, 3);
    assertThat(cache.exactly(0)).isPresent();
    assertThat(cache.exactly(1)).isPresent();

    cache.want(Set.of(2L));
    assertThat(cache.exactly(0)).isEmpty();
  }

  /** Version 2 is asked for next, then 3, and so on, while the newest goes on likewise. */
  @Test
  void putKeepsVersionsAsFarBackAsOneWasAskedFor() {
    put(following, 0, 1, 2, 3, 4);
    following.want(Set.of(1L));
    assertThat(following.hasUseFor(2)).isTrue();

    put(following, 1, 2, 5, 6);
    following.want(Set.of(7L));

    assertThat(following.exactly(2)).isEmpty();
    assertThat(following.exactly(3)).isPresent();
  }

  @Test
  void putKeepsNoMoreWhenTheVersionAskedForIsTooFarBack() {
    put(following, 0, 1, 2, 3, 4);
    following.want(Set.of(0L));
    put(following, 0);

    assertThat(following.exactly(0)).isPresent();
    assertThat(following.hasUseFor(1)).isFalse();
    assertThat(following.hasUseFor(2)).isFalse();
  }

  @Test
  void newestSinceIsEmptyWhenTheNewestIsTooOld() {
    put(4);

    assertThat(cache.newestSince(4)).map(PolicyWeights::version).contains(4L);
    assertThat(cache.newestSince(5)).isEmpty();
  }

  @Test
  void hasUseForVersionsThatPutWouldKeep() {
    put(4, 6);
    cache.want(Set.of(1L));

    assertThat(cache.hasUseFor(5)).isTrue();
    assertThat(cache.hasUseFor(7)).isTrue();
    assertThat(cache.hasUseFor(1)).isTrue();
    assertThat(cache.hasUseFor(3)).isFalse();
    assertThat(cache.hasUseFor(6)).isFalse();
  }
}
