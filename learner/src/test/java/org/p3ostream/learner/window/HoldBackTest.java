package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.learner.window.RolloutGroups.good;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.dispatch.DispatchBook;
import org.p3ostream.schemas.serde.Decoded;

class HoldBackTest {

  private static final int GROUPS_PER_WINDOW = 2;

  private final DispatchBook book = new DispatchBook();
  private final Intake intake =
      new Intake(
          RolloutGroups.RUN_ID,
          RolloutGroups.contract(),
          DynamicSampling.OFF,
          book,
          GROUPS_PER_WINDOW,
          true,
          Map.of(0, new PartitionCursor(0, List.of())));
  private long nextOffset;

  HoldBackTest() {
    for (long groupId = 0; groupId < 8; groupId++) {
      book.dispatch(groupId, 0, 0);
    }
  }

  @Test
  void isDueWithoutHoldBackOnceTheWindowIsComplete() {
    HoldBack none = new HoldBack(0, 100);
    accept(0);
    assertThat(none.isDue(0, intake)).isFalse();
    accept(1);
    assertThat(none.isDue(0, intake)).isTrue();
  }

  @Test
  void isDueOnceTheNextWindowsAreCompleteInARow() {
    HoldBack two = new HoldBack(2, 100);
    complete(0);
    complete(2);
    complete(3);
    assertThat(intake.completeWindowsAfter(0)).isEqualTo(2);
    assertThat(two.completeInARow(0, intake)).isZero();
    assertThat(two.isDue(0, intake)).isFalse();
    complete(1);
    assertThat(intake.completeWindowsAfter(0)).isEqualTo(3);
    assertThat(two.completeInARow(0, intake)).isEqualTo(2);
    assertThat(two.isDue(0, intake)).isTrue();
  }

  @Test
  void isNotDueWhileTheWindowItselfIsIncomplete() {
    complete(1);
    complete(2);
    accept(0);
    assertThat(new HoldBack(2, 100).isDue(0, intake)).isFalse();
  }

  @Test
  void windowWithoutAGroupThatWasGivenUpIsComplete() {
    complete(0);
    accept(2);
    assertThat(new HoldBack(1, 100).isDue(0, intake)).isFalse();
    book.giveUp(3);
    assertThat(new HoldBack(1, 100).isDue(0, intake)).isTrue();
  }

  @Test
  void lastWindowsWaitForThoseThatAreLeftOnly() {
    HoldBack three = new HoldBack(3, 6);
    assertThat(List.of(0L, 2L, 3L, 4L, 5L, 6L).stream().map(three::windowsAhead).toList())
        .containsExactly(3L, 3L, 2L, 1L, 0L, 0L);
    complete(0);
    assertThat(new HoldBack(3, 1).isDue(0, intake)).isTrue();
    assertThat(new HoldBack(3, 2).isDue(0, intake)).isFalse();
    complete(1);
    assertThat(new HoldBack(3, 2).isDue(0, intake)).isTrue();
  }

  private void complete(long window) {
    accept(window * GROUPS_PER_WINDOW);
    accept(window * GROUPS_PER_WINDOW + 1);
  }

  private void accept(long groupId) {
    intake.accept(
        new RolloutCoordinate(0, nextOffset++),
        10,
        new Decoded.Accepted(good(groupId, 0, groupId / GROUPS_PER_WINDOW, 0)),
        0);
  }
}
