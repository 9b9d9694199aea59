package org.p3ostream.learner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ManifestOffsetsTest {

  private final List<Long> lookedFor = new ArrayList<>();
  private final ManifestOffsets manifests =
      new ManifestOffsets(
          version -> {
            lookedFor.add(version);
            return version == 2 ? OptionalLong.empty() : OptionalLong.of(100 + version);
          });

  @Test
  void ofKnowsWhatWasCommittedWithoutLooking() {
    manifests.committed(3, 17);
    assertThat(manifests.of(3)).isEqualTo(17);
    assertThat(lookedFor).isEmpty();
  }

  @Test
  void ofLooksOnceForWhatAnEarlierLearnerCommitted() {
    assertThat(manifests.of(1)).isEqualTo(101);
    assertThat(manifests.of(1)).isEqualTo(101);
    assertThat(manifests.of(2)).isNull();
    assertThat(manifests.of(2)).isNull();
    assertThat(lookedFor).containsExactly(1L, 2L);
  }

  @Test
  void forgetBelowKeepsWhatMayBeAskedFor() {
    manifests.committed(3, 17);
    manifests.committed(4, 19);
    manifests.forgetBelow(4);
    assertThat(manifests.of(4)).isEqualTo(19);
    assertThat(manifests.of(3)).isEqualTo(103); // not held any more
  }
}
