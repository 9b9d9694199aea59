package org.p3ostream.learner.audit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SparseBitsTest {

  @Test
  void behavesLikeASetOfNumbersOfWhateverSize() {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      SparseBits bits = new SparseBits();
      TreeSet<Long> oracle = new TreeSet<>();
      for (int i = 0; i < 2_000; i++) {
        long number = random.nextInt(10) == 0 ? random.nextLong() : random.nextInt(9_000) - 100;
        assertThat(bits.add(number)).as("seed %d", seed).isEqualTo(oracle.add(number));
        long other = random.nextInt(9_000);
        assertThat(bits.contains(other)).isEqualTo(oracle.contains(other));
      }
      assertThat(bits.size()).isEqualTo(oracle.size());
      for (int i = 0; i < 100; i++) {
        long from = random.nextBoolean() ? random.nextLong() : random.nextInt(9_000);
        long to = random.nextBoolean() ? random.nextLong() : random.nextInt(9_000);
        List<Long> found = new ArrayList<>();
        bits.forEach(from, to, found::add);
        assertThat(found)
            .as("seed %d, [%d, %d)", seed, from, to)
            .isEqualTo(from < to ? List.copyOf(oracle.subSet(from, to)) : List.of());
      }
    }
  }
}
