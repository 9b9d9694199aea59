package org.p3ostream.learner.pretrain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LabelNoiseTest {

  @Test
  void applyReplacesDigitsAtTheGivenRate() {
    LabelNoise noise = new LabelNoise(0.3, new SplittableRandom(5));
    String answer = "0".repeat(20_000);
    double changed = noise.apply(answer).chars().filter(digit -> digit != '0').count();
    // one replacement in ten draws the same digit; three standard deviations are 0.0094
    assertThat(changed / answer.length()).isCloseTo(0.3 * 0.9, within(0.0094));
  }

  @Test
  void applyDrawsEveryDigitAlike() {
    LabelNoise noise = new LabelNoise(1, new SplittableRandom(6));
    String noisy = noise.apply("5".repeat(20_000));
    for (char digit = '0'; digit <= '9'; digit++) {
      char wanted = digit;
      double share = noisy.chars().filter(c -> c == wanted).count() / 20_000.0;
      assertThat(share).as("digit %c", digit).isCloseTo(0.1, within(0.0085));
    }
  }

  @Test
  void applyLeavesEverythingElseAlone() {
    LabelNoise noise = new LabelNoise(1, new SplittableRandom(7));
    assertThat(noise.apply("a=-+é٣")).isEqualTo("a=-+é٣");
    assertThat(new LabelNoise(0, new SplittableRandom(7)).apply("0123456789"))
        .isEqualTo("0123456789");
  }
}
