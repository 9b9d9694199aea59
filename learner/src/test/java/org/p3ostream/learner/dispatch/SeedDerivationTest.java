package org.p3ostream.learner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SeedDerivationTest {

  /** Worked out with another implementation of the finaliser; a change would bend running runs. */
  @Test
  void deriveIsTheSameForEver() {
    assertThat(SeedDerivation.derive(42, 3, 1, 0)).isEqualTo(-2766689417279922188L);
  }

  @Test
  void deriveDependsOnEveryPartAndOnTheirOrder() {
    Set<Long> seeds = new HashSet<>();
    int count = 0;
    for (long run = 0; run < 3; run++) {
      for (long window = 0; window < 20; window++) {
        for (long slot = 0; slot < 8; slot++) {
          for (long attempt = 0; attempt < 3; attempt++) {
            seeds.add(SeedDerivation.derive(run, window, slot, attempt));
            count++;
          }
        }
      }
    }
    assertThat(seeds.size()).isEqualTo(count);
    assertThat(SeedDerivation.derive(1, 2, 3)).isNotEqualTo(SeedDerivation.derive(1, 3, 2));
  }
}
