package org.p3ostream.learner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DispatchDeadlinesTest {

  private final DispatchBook book = new DispatchBook();
  private final DispatchDeadlines deadlines = new DispatchDeadlines(100);

  @Test
  void expiredNamesGroupsWhoseTimeIsOverFromTheirOwnDispatchOn() {
    book.dispatch(0, 0, 0);
    deadlines.observe(book, 1_000);
    book.dispatch(1, 0, 0);
    deadlines.observe(book, 1_050);
    assertThat(deadlines.expired(1_099)).isEmpty();
    assertThat(deadlines.expired(1_100)).containsExactly(0L);
    assertThat(deadlines.expired(1_150)).containsExactly(0L, 1L);
  }

  @Test
  void everyFurtherDispatchDoublesTheTime() {
    book.dispatch(0, 0, 0);
    long now = 0;
    for (int topUp = 0; topUp < 12; topUp++) {
      deadlines.observe(book, now);
      long timeout = 100L << topUp;
      assertThat(deadlines.expired(now + timeout - 1)).isEmpty();
      assertThat(deadlines.expired(now + timeout)).containsExactly(0L);
      now += timeout;
      book.dispatch(0, topUp / 2, 0); // the same attempt or the next one
    }
  }

  @Test
  void timeStaysFiniteHoweverOftenAGroupIsDispatched() {
    book.dispatch(0, 0, 0);
    for (int topUp = 0; topUp < 100; topUp++) {
      book.dispatch(0, 0, 0);
    }
    deadlines.observe(book, 0);
    assertThat(deadlines.expired(Long.MAX_VALUE)).containsExactly(0L);
    assertThat(deadlines.expired(1_000)).isEmpty();
  }

  @Test
  void observeForgetsSettledGroupsAndThoseGivenUp() {
    for (long groupId = 0; groupId < 4; groupId++) {
      book.dispatch(groupId, 0, 0);
    }
    deadlines.observe(book, 0);
    book.settleBelow(2);
    deadlines.observe(book, 50);
    assertThat(deadlines.expired(100)).containsExactly(2L, 3L);
  }
}
