package org.p3ostream.learner.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.learner.window.RandomWindows;

class WindowPartitionTest {

  @Test
  void microBatchesAreDealtOutInOrderAndDummiesFillTheLastRound() {
    for (int replicas = 1; replicas <= 5; replicas++) {
      List<MicroBatch> batches = new MicroBatcher(24, 0).cut(RandomWindows.window(1));
      WindowPartition partition = WindowPartition.of(batches, replicas, MicroBatch::dummy);
      assertThat(partition.rounds()).hasSize((batches.size() + replicas - 1) / replicas);
      assertThat(partition.microBatches()).isEqualTo(batches.size());
      List<MicroBatch> dealt = new ArrayList<>();
      for (List<MicroBatch> round : partition.rounds()) {
        assertThat(round).hasSize(replicas);
        dealt.addAll(round);
      }
      assertThat(dealt.subList(0, batches.size())).isEqualTo(batches);
      assertThat(dealt.subList(batches.size(), dealt.size()))
          .hasSizeLessThan(replicas)
          .allMatch(batch -> batch.validTokens() == 0 && batch.paddedTokens() == 0);
      assertThat(partition.validTokens()).isEqualTo((int) RandomWindows.window(1).validTokens());
      for (int k = 0; k < replicas; k++) {
        assertThat(partition.of(k, 0, 1)).containsExactly(partition.rounds().get(0).get(k));
      }
    }
  }
}
