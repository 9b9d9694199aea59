package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.RolloutGroup;

class WindowTest {

  @Test
  void groupsAreOrderedByGroupIdWhateverTheOrderOfArrival() {
    Window window = new Window(1, List.of(group(5), group(2), group(4)));
    assertThat(window.groups()).extracting(TrainingGroup::groupId).containsExactly(2L, 4L, 5L);
  }

  @Test
  void validTokensCountsTokensWithBothMasks() {
    RolloutGroup record =
        RolloutGroups.withResponse(
            RolloutGroups.good(2, 0, 1, 0),
            0,
            b ->
                b.setLossMask(List.of(true, true, false, false, true))
                    .setBehaviorLogprobMask(List.of(true, false, true, false, true)));
    Window window = new Window(1, List.of(convert(record), group(3)));
    assertThat(window.validTokens()).isEqualTo(2 + 3 + 5 + 3);
  }

  private static TrainingGroup group(long groupId) {
    return convert(RolloutGroups.good(groupId, 0, 1, 0));
  }

  private static TrainingGroup convert(RolloutGroup record) {
    RolloutContract.Verdict verdict =
        RolloutGroups.contract().check(record, new RolloutCoordinate(0, 0), 0, 0, true);
    return ((RolloutContract.Kept) verdict).group();
  }
}
