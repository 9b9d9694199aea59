package org.p3ostream.learner.pretrain;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SupervisedBatchTest {

  private static final int PAD = 13;

  @Test
  void contentsAreThoseWorkedOutByHand() {
    SupervisedBatch batch =
        new SupervisedBatch(
            List.of(example(new int[] {1, 2, 3}, 4, 5), example(new int[] {6}, 7, 8)), PAD);
    assertThat(batch.rows).isEqualTo(2);
    assertThat(batch.columns).isEqualTo(4);
    assertThat(batch.ids).containsExactly(1, 2, 3, 4, 6, 7, PAD, PAD);
    assertThat(batch.positions).containsExactly(2, 3, 4, 5);
    assertThat(batch.targets).containsExactly(4, 5, 7, 8);
  }

  /** Each example as one sequence: token t is predicted from the column before it. */
  @Test
  void contentsAgreeWithASequenceBySequenceOracle() {
    for (long seed = 0; seed < 50; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<SupervisedBatch.Example> examples = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(6); i++) {
        examples.add(
            example(
                random.ints(1 + random.nextInt(5), 0, 12).toArray(),
                random.ints(1 + random.nextInt(5), 0, 12).toArray()));
      }
      SupervisedBatch batch = new SupervisedBatch(examples, PAD);
      List<Long> targets = new ArrayList<>();
      List<Long> positions = new ArrayList<>();
      int longest = 0;
      for (int b = 0; b < examples.size(); b++) {
        List<Integer> sequence = new ArrayList<>();
        for (int token : examples.get(b).prompt) {
          sequence.add(token);
        }
        for (int token : examples.get(b).answer) {
          targets.add((long) token);
          positions.add((long) b * batch.columns + sequence.size() - 1);
          sequence.add(token);
        }
        longest = Math.max(longest, sequence.size() - 1);
        for (int c = 0; c < batch.columns; c++) {
          int expected = c < sequence.size() - 1 ? sequence.get(c) : PAD;
          assertThat(batch.ids[b * batch.columns + c]).as("seed %d", seed).isEqualTo(expected);
        }
      }
      assertThat(batch.columns).as("seed %d", seed).isEqualTo(longest);
      assertThat(batch.targets).as("seed %d", seed).containsExactly(longs(targets));
      assertThat(batch.positions).as("seed %d", seed).containsExactly(longs(positions));
    }
  }

  private static SupervisedBatch.Example example(int[] prompt, int... answer) {
    return new SupervisedBatch.Example(prompt, answer);
  }

  private static long[] longs(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).toArray();
  }
}
