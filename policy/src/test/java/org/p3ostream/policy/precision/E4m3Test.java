package org.p3ostream.policy.precision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Against the values and roundings of ml_dtypes' float8_e4m3fn, and against a search. */
class E4m3Test {

  /** By byte, [256]. */
  private static final List<Float> VALUES =
      GoldenText.lines("e4m3_values.txt").stream().map(line -> GoldenText.value(line[1])).toList();

  /** The value of a byte by the format's definition. */
  private static float decoded(int code) {
    int exponent = code >> 3 & 15;
    int mantissa = code & 7;
    if (exponent == 15 && mantissa == 7) {
      return Float.NaN;
    }
    double magnitude =
        exponent == 0
            ? mantissa / 8.0 * Math.pow(2, -6)
            : (1 + mantissa / 8.0) * Math.pow(2, exponent - 7);
    return (float) (code < 128 ? magnitude : -magnitude);
  }

  @Test
  void theTableIsTheFormatsDefinition() {
    assertThat(VALUES).hasSize(256);
    for (int code = 0; code < 256; code++) {
      assertThat(Float.floatToIntBits(VALUES.get(code)))
          .as("%02x", code)
          .isEqualTo(Float.floatToIntBits(decoded(code)));
    }
  }

  @Test
  void nearestLeavesEveryValueOfTheFormatAsItIs() {
    for (float value : VALUES) {
      assertThat(Float.floatToIntBits(E4m3.nearest(value))).isEqualTo(Float.floatToIntBits(value));
    }
  }

  @Test
  void nearestRoundsAsAnotherImplementationDoes() {
    List<String[]> lines = GoldenText.lines("e4m3_rounded.txt");
    assertThat(lines).hasSizeGreaterThan(500);
    for (String[] line : lines) {
      float x = GoldenText.value(line[0]);
      assertThat(Float.floatToIntBits(E4m3.nearest(x)))
          .as("%s", x)
          .isEqualTo(Float.floatToIntBits(GoldenText.value(line[1])));
    }
  }

  @Test
  void nearestIsTheClosestOfAllValuesAndOfTwoTheEvenOne() {
    long seed = 20260901;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      float x = (float) (random.nextGaussian() * Math.pow(2, random.nextInt(-14, 9)));
      assertThat(E4m3.nearest(x)).as("seed %s, x %s", seed, x).isEqualTo(closest(x));
    }
  }

  private static float closest(float x) {
    float best = Float.NaN;
    double distance = Double.POSITIVE_INFINITY;
    for (int code : IntStream.range(0, 256).toArray()) {
      double gap = Math.abs((double) VALUES.get(code) - x);
      if (gap < distance || (gap == distance && code % 2 == 0)) {
        best = VALUES.get(code);
        distance = gap;
      }
    }
    return best;
  }

  @Test
  void nearestSaturates() {
    for (float x : new float[] {448.1f, 464, 480, 1e9f, Float.MAX_VALUE, Float.POSITIVE_INFINITY}) {
      assertThat(E4m3.nearest(x)).isEqualTo(448);
      assertThat(E4m3.nearest(-x)).isEqualTo(-448);
    }
    assertThat(E4m3.nearest(Float.NaN)).isNaN();
  }
}
