package org.p3ostream.learner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DispatchBookTest {

  private final DispatchBook book = new DispatchBook();

  @Test
  void dispatchTakesNewGroupsInOrder() {
    book.dispatch(0, 0, 0);
    book.dispatch(1, 0, 0);
    assertThat(book.nextGroupId()).isEqualTo(2);
    assertThat(book.openGroups()).isEqualTo(2);
    assertThat(book.find(1)).isEqualTo(new DispatchBook.Dispatched(0, 0, 0, false));
    assertThat(book.find(2)).isNull();
  }

  @Test
  void dispatchOfALaterAttemptTakesTheVersionThatItAsksFor() {
    book.dispatch(0, 0, 3);
    book.dispatch(0, 1, 3);
    assertThat(book.find(0)).isEqualTo(new DispatchBook.Dispatched(1, 3, 1, false));
    book.dispatch(0, 2, 8); // what came was too stale
    assertThat(book.find(0)).isEqualTo(new DispatchBook.Dispatched(2, 8, 2, false));
    assertThat(book.nextGroupId()).isEqualTo(1);
  }

  @Test
  void dispatchRefusesGapsAndSkippedAttempts() {
    book.dispatch(0, 0, 0);
    requireRefused(2, 0); // a gap
    requireRefused(0, 2); // an attempt left out
    requireRefused(1, 1); // a second attempt without a first
    book.settleBelow(1);
    requireRefused(0, 1); // settled
    assertThat(book.nextGroupId()).isEqualTo(1);
  }

  @Test
  void dispatchOfTheSameAttemptAgainCountsAsATopUp() {
    book.dispatch(0, 0, 3);
    book.dispatch(0, 0, 3);
    book.dispatch(0, 1, 3);
    book.dispatch(0, 1, 3);
    assertThat(book.find(0)).isEqualTo(new DispatchBook.Dispatched(1, 3, 3, false));
    requireRefused(0, 0); // an earlier attempt
  }

  @Test
  void giveUpEndsAGroupUntilItsWindowIsSettled() {
    for (long groupId = 0; groupId < 4; groupId++) {
      book.dispatch(groupId, 0, 0);
    }
    book.giveUp(1);
    book.giveUp(2);
    assertThat(book.find(1)).isEqualTo(new DispatchBook.Dispatched(0, 0, 0, true));
    assertThat(book.givenUp(0, 2)).containsExactly(1L);
    assertThat(book.givenUp(0, 4)).containsExactly(1L, 2L);
    requireRefused(1, 0);
    requireRefused(1, 1);
    assertThatThrownBy(() -> book.giveUp(1)).hasMessageContaining("group 1 cannot be given up");
    book.settleBelow(2);
    assertThatThrownBy(() -> book.giveUp(1)).hasMessageContaining("it is null");
    assertThat(book.givenUp(0, 4)).containsExactly(2L);
  }

  @Test
  void settleBelowClosesGroupsAndKeepsTheCount() {
    for (long groupId = 0; groupId < 6; groupId++) {
      book.dispatch(groupId, 0, 0);
    }
    book.settleBelow(4);
    assertThat(book.find(3)).isNull();
    assertThat(book.find(4)).isNotNull();
    assertThat(book.openGroups()).isEqualTo(2);
    assertThat(book.nextGroupId()).isEqualTo(6);
  }

  @Test
  void oldestVersionIsThatOfTheOpenGroups() {
    assertThat(book.oldestVersion()).isEmpty();
    book.dispatch(0, 0, 0);
    book.dispatch(1, 0, 3);
    assertThat(book.oldestVersion()).hasValue(0);
    book.settleBelow(1);
    assertThat(book.oldestVersion()).hasValue(3);
  }

  private void requireRefused(long groupId, int attempt) {
    assertThatThrownBy(() -> book.dispatch(groupId, attempt, 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("group %d attempt %d".formatted(groupId, attempt));
  }
}
