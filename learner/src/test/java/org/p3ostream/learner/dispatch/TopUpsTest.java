package org.p3ostream.learner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TopUpsTest {

  private final DispatchBook book = new DispatchBook();
  private final TopUps topUps = new TopUps(2);

  TopUpsTest() {
    for (long groupId = 0; groupId < 6; groupId++) {
      book.dispatch(groupId, 0, 7);
    }
  }

  @Test
  void planAsksForTheNextAttemptOfWhatWasRejectedAndTheSameOfWhatWasLost() {
    assertThat(topUps.plan(book, List.of(4L, 1L), List.of(2L)))
        .isEqualTo(
            new TopUps.Plan(
                List.of(
                    new TopUps.TopUp(1, 1, 7),
                    new TopUps.TopUp(2, 0, 7),
                    new TopUps.TopUp(4, 1, 7)),
                List.of()));
  }

  @Test
  void planGivesUpWhatWasDispatchedAgainOftenEnoughForWhateverReason() {
    book.dispatch(1, 0, 7); // lost
    book.dispatch(1, 1, 7); // rejected
    book.dispatch(3, 1, 7);
    TopUps.Plan plan = topUps.plan(book, List.of(1L), List.of(3L));
    assertThat(plan.givenUp()).containsExactly(1L);
    assertThat(plan.again()).containsExactly(new TopUps.TopUp(3, 1, 7));
  }

  @Test
  void planAsksForTheVersionInForceInThePlaceOfWhatWasTooStale() {
    book.dispatch(3, 0, 7);
    book.dispatch(3, 0, 7);
    TopUps.Stale stale = new TopUps.Stale(Set.of(2L, 3L, 99L), 12);
    TopUps.Plan plan = topUps.plan(book, List.of(1L), stale, List.of(4L));
    assertThat(plan.again())
        .containsExactly(
            new TopUps.TopUp(1, 1, 7), new TopUps.TopUp(2, 1, 12), new TopUps.TopUp(4, 0, 7));
    assertThat(plan.givenUp()).containsExactly(3L);
  }

  @Test
  void planLeavesOutWhatIsSettledOrGivenUp() {
    book.giveUp(5);
    book.settleBelow(3);
    assertThat(topUps.plan(book, List.of(1L, 5L), List.of(2L, 99L))).isEqualTo(TopUps.Plan.NONE);
  }

  @Test
  void planWithoutTopUpsGivesUpAtOnce() {
    assertThat(new TopUps(0).plan(book, List.of(0L), List.of(1L)).givenUp())
        .containsExactly(0L, 1L);
  }
}
