package org.p3ostream.rolloutproducer.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.snapshot.SnapshotRecall.Reread;
import org.p3ostream.schemas.snapshot.SnapshotEvent;

class SnapshotRecallTest {

  private static final OptionalLong NONE = OptionalLong.empty();

  private final SnapshotRecall recall = new SnapshotRecall();

  private Optional<Reread> next(long missing, long nowMs) {
    return recall.next(OptionalLong.of(missing), OptionalLong.of(77), nowMs);
  }

  @Test
  void nextWaitsWhenTheMissingVersionIsYetToCome() {
    recall.observe(new SnapshotEvent.Loaded(4));

    assertThat(next(5, 0)).isEmpty();
  }

  @Test
  void nextStartsAtThePromptsPlaceAndThenAtTheBeginning() {
    recall.observe(new SnapshotEvent.Loaded(4));

    assertThat(next(2, 0)).contains(new Reread(2, 1, OptionalLong.of(77)));
    recall.reachedEnd();
    assertThat(next(2, 60_000)).contains(new Reread(2, 2, NONE));
  }

  @Test
  void nextIsEmptyWhileAReadIsUnderWay() {
    recall.observe(new SnapshotEvent.Loaded(4));
    next(2, 0);

    assertThat(next(2, 60_000)).isEmpty();
  }

  @Test
  void nextWaitsLongerAfterEveryReadInVain() {
    recall.observe(new SnapshotEvent.Loaded(4));
    next(2, 0);
    recall.reachedEnd();

    assertThat(next(2, 999)).isEmpty();
    assertThat(next(2, 1000)).isPresent();
    recall.reachedEnd();
    assertThat(next(2, 2999)).isEmpty();
    assertThat(next(2, 3000)).isPresent();
  }

  @Test
  void nextReadsAgainForTheNewestVersionWhenItIsCorrupt() {
    recall.observe(new SnapshotEvent.Loaded(4));
    recall.observe(new SnapshotEvent.Corrupt(5, "found 1 of 2 chunks"));

    assertThat(recall.next(NONE, NONE, 0)).isEmpty();
    assertThat(recall.next(NONE, NONE, 500)).contains(new Reread(5, 1, NONE));
  }

  @Test
  void nextIsEmptyWhenANewerVersionFollowedTheCorruptOne() {
    recall.observe(new SnapshotEvent.Corrupt(5, "found 1 of 2 chunks"));
    recall.observe(new SnapshotEvent.Loaded(6));
    recall.next(NONE, NONE, 0);

    assertThat(recall.next(NONE, NONE, 60_000)).isEmpty();
  }

  @Test
  void nextIsEmptyWhenTheVersionWasLoaded() {
    recall.observe(new SnapshotEvent.Corrupt(5, "found 1 of 2 chunks"));
    recall.next(NONE, NONE, 0);
    recall.next(NONE, NONE, 500);
    recall.observe(new SnapshotEvent.Loaded(5));
    recall.reachedEnd();

    assertThat(recall.next(NONE, NONE, 60_000)).isEmpty();
  }
}
