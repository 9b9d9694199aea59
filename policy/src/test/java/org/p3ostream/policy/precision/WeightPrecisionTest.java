package org.p3ostream.policy.precision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.policy.model.TinyModels;

class WeightPrecisionTest {

  /** Rows of 12 weights, as in the golden text. */
  private static final ModelConfig TIED = TinyModels.GROUPED_TIED;

  private static final String MATRIX = "model.layers.1.self_attn.k_proj.weight";

  private static ParameterLayout.Slice slice(ParameterLayout layout, String name) {
    return layout.slices().stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
  }

  private static float[] of(ParameterLayout.Slice slice, float[] weights) {
    int from = (int) slice.elementOffset();
    return Arrays.copyOfRange(weights, from, from + (int) slice.elementCount());
  }

  /** The formula in NumPy, with the E4M3 of ml_dtypes. */
  @Test
  void roundGivesTheBitsOfAnotherImplementation() {
    ParameterLayout layout = ParameterLayout.of(TIED);
    int row = (int) slice(layout, MATRIX).elementOffset() + 2 * 12; // the third of the matrix
    List<String[]> lines = GoldenText.lines("rounded_rows.txt");
    assertThat(lines).hasSize(27);
    for (String[] line : lines) {
      float[] weights = TinyModels.weights(TIED, 1);
      int[] expected = new int[12];
      for (int i = 0; i < 12; i++) {
        weights[row + i] = GoldenText.value(line[1 + i]);
        expected[i] = Float.floatToIntBits(GoldenText.value(line[13 + i]));
      }

      float[] rounded = WeightPrecision.of(line[0]).orElseThrow().round(layout, weights);

      assertThat(bits(Arrays.copyOfRange(rounded, row, row + 12)))
          .as(String.join(" ", line))
          .isEqualTo(expected);
    }
  }

  private static int[] bits(float[] values) {
    int[] bits = new int[values.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Float.floatToIntBits(values[i]);
    }
    return bits;
  }

  @ParameterizedTest
  @EnumSource(names = "FLOAT32", mode = EnumSource.Mode.EXCLUDE)
  void roundChangesTheMatricesOfTheLayersAndNothingElse(WeightPrecision precision) {
    for (ModelConfig config : List.of(TIED, TinyModels.FULL_UNTIED)) {
      ParameterLayout layout = ParameterLayout.of(config);
      float[] weights = TinyModels.weights(config, 2);
      float[] before = weights.clone();
      Set<String> changed = new HashSet<>();

      float[] rounded = precision.round(layout, weights);

      for (ParameterLayout.Slice slice : layout.slices()) {
        if (!Arrays.equals(of(slice, rounded), of(slice, weights))) {
          changed.add(slice.name().replaceAll("layers\\.\\d+\\.", ""));
        }
      }
      assertThat(changed)
          .containsExactlyInAnyOrder(
              "model.self_attn.q_proj.weight",
              "model.self_attn.k_proj.weight",
              "model.self_attn.v_proj.weight",
              "model.self_attn.o_proj.weight",
              "model.mlp.gate_proj.weight",
              "model.mlp.up_proj.weight",
              "model.mlp.down_proj.weight");
      assertThat(weights).isEqualTo(before);
    }
  }

  /** The largest magnitude of a row is hit, so what was rounded before is where it belongs. */
  @ParameterizedTest
  @EnumSource
  void roundingErrorsAreAtMostHalfAStepOfTheRow(WeightPrecision precision) {
    ParameterLayout layout = ParameterLayout.of(TIED);
    float[] weights = of(slice(layout, MATRIX), TinyModels.weights(TIED, 3)); // [12, 12]
    float[] rounded =
        of(slice(layout, MATRIX), precision.round(layout, TinyModels.weights(TIED, 3)));
    double worst = 0;
    for (int row = 0; row < 12; row++) {
      float magnitude = 0;
      for (int i = row * 12; i < (row + 1) * 12; i++) {
        magnitude = Math.max(magnitude, Math.abs(weights[i]));
      }
      for (int i = row * 12; i < (row + 1) * 12; i++) {
        worst = Math.max(worst, Math.abs(rounded[i] - weights[i]) / magnitude);
      }
    }
    double bound =
        switch (precision) {
          case FLOAT32 -> 0;
          case FP8 -> 1 / 16.0 / 1.75; // half a step of 32 below 448
          case INT8 -> 0.5 / 127;
          case INT4 -> 0.5 / 7;
        };
    assertThat(worst).isBetween(bound / 4, bound * (1 + 1e-6));
  }

  @Test
  void float32IsTheWeightsThemselves() {
    float[] weights = TinyModels.weights(TIED, 1);
    assertThat(WeightPrecision.FLOAT32.round(ParameterLayout.of(TIED), weights)).isSameAs(weights);
  }

  @Test
  void roundNamesAMatrixThatIsNotFinite() {
    ParameterLayout layout = ParameterLayout.of(TIED);
    for (float broken : new float[] {Float.NaN, Float.NEGATIVE_INFINITY}) {
      float[] weights = TinyModels.weights(TIED, 1);
      weights[(int) slice(layout, MATRIX).elementOffset() + 100] = broken;
      assertThatThrownBy(() -> WeightPrecision.INT4.round(layout, weights))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(MATRIX)
          .hasMessageContaining("cannot be rounded to int4");
    }
  }

  @Test
  void roundTakesTheWeightsOfTheWholeModel() {
    assertThatThrownBy(() -> WeightPrecision.INT4.round(ParameterLayout.of(TIED), new float[3]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("3 weights, the model has ");
  }

  @Test
  void idsAreThoseOfConfigurationAndRecords() {
    assertThat(WeightPrecision.ids()).containsExactly("float32", "fp8", "int8", "int4");
    assertThat(WeightPrecision.of("int4")).contains(WeightPrecision.INT4);
    assertThat(WeightPrecision.of("bfloat16")).isEmpty();
    assertThat(WeightPrecision.of("INT4")).isEmpty();
  }
}
