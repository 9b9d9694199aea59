package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.forward.BehaviorSnapshotMissingException;

class BehaviorSnapshotsTest {

  private static final float[] INITIAL = {0.5f};

  private final List<Long> looked = new ArrayList<>();
  private final Set<Long> gone = new HashSet<>();
  private final BehaviorSnapshots snapshots = new BehaviorSnapshots(INITIAL, this::look, 2);

  private float[] look(long version) {
    looked.add(version);
    if (gone.contains(version)) {
      throw new BehaviorSnapshotMissingException(version, "trimmed");
    }
    return new float[] {version};
  }

  @Test
  void versionZeroIsWhatTheRunWasOpenedWith() {
    assertThat(snapshots.of(0)).isSameAs(INITIAL);
    assertThat(snapshots.missing(0)).isNull();
    assertThat(looked).isEmpty();
  }

  @Test
  void theVersionsUsedLastAreKept() {
    float[] one = snapshots.of(1);
    snapshots.of(2);
    assertThat(snapshots.of(1)).isSameAs(one);
    snapshots.of(3); // in the place of 2
    assertThat(snapshots.of(1)).isSameAs(one);
    assertThat(looked).containsExactly(1L, 2L, 3L);
    assertThat(snapshots.of(2)).containsExactly(2);
    assertThat(looked).containsExactly(1L, 2L, 3L, 2L);
  }

  @Test
  void missingLooksForAVersionOnce() {
    for (long version : new long[] {1, 2, 3, 1, 2, 3}) {
      assertThat(snapshots.missing(version)).isNull();
    }
    assertThat(looked).containsExactly(1L, 2L, 3L);
  }

  @Test
  void missingGivesTheReasonAndLooksAgainNextTime() {
    gone.add(4L);
    assertThat(snapshots.missing(4)).isEqualTo("trimmed");
    assertThatThrownBy(() -> snapshots.of(4))
        .isInstanceOf(BehaviorSnapshotMissingException.class)
        .hasMessageContaining("version 4");
    gone.clear();
    assertThat(snapshots.missing(4)).isNull();
    assertThat(looked).containsExactly(4L, 4L, 4L);
  }
}
