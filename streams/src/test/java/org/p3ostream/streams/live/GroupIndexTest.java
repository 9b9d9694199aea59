package org.p3ostream.streams.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.streams.fixture.Records.step;
import static org.p3ostream.streams.fixture.Records.trained;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;

class GroupIndexTest {

  @Test
  void findTellsWhereAGroupLiesAndWhichStepTrainedIt() {
    GroupIndex index = new GroupIndex(10);
    index.add(step(5).setWindow(List.of(trained(77, 40, 3), trained(78, 41, 4))).build());

    assertThat(index.find(41)).contains(new TrainedGroup(41, 0, 5, 5, 4, 0, 78));
    assertThat(index.ofStep(5).orElseThrow())
        .extracting(TrainedGroup::groupId)
        .containsExactly(40L, 41L);
    assertThat(index.find(42)).isEmpty();
    assertThat(index.ofStep(6)).isEmpty();
  }

  @Test
  void addDropsTheOldestStepsWhenThereAreMoreGroupsThanItHolds() {
    GroupIndex index = new GroupIndex(4);
    for (long i = 0; i < 5; i++) {
      index.add(step(i).setWindow(List.of(trained(i, 2 * i, 0), trained(i, 2 * i + 1, 0))).build());
    }

    assertThat(index.ofStep(2)).isEmpty();
    assertThat(index.find(6)).isPresent();
    assertThat(index.find(5)).isEmpty();
  }

  @Test
  void addHoldsTheNewestStepWhateverItsSize() {
    GroupIndex index = new GroupIndex(1);
    index.add(step(0).setWindow(List.of(trained(0, 0, 0), trained(1, 1, 0))).build());

    assertThat(index.ofStep(0).orElseThrow()).hasSize(2);
  }
}
