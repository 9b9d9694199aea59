package org.p3ostream.rolloutproducer.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.snapshot.PolicyWeights;

class VersionCacheTest {

  private final VersionCache cache = new VersionCache(2);

  private void put(long... versions) {
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
