package org.p3ostream.policy.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class ParameterLayoutTest {

  private static final ModelConfig CONFIG = config(16, true, 1e4, 64);

  @Test
  void slicesAreHuggingFaceNamesAndShapesInOrder() {
    List<ParameterLayout.Slice> slices = ParameterLayout.of(CONFIG).slices();
    assertThat(slices)
        .extracting(slice -> slice.name() + slice.shape())
        .startsWith(
            "model.embed_tokens.weight[16, 64]",
            "model.layers.0.input_layernorm.weight[64]",
            "model.layers.0.self_attn.q_proj.weight[64, 64]",
            "model.layers.0.self_attn.k_proj.weight[32, 64]",
            "model.layers.0.self_attn.v_proj.weight[32, 64]",
            "model.layers.0.self_attn.q_norm.weight[16]",
            "model.layers.0.self_attn.k_norm.weight[16]",
            "model.layers.0.self_attn.o_proj.weight[64, 64]",
            "model.layers.0.post_attention_layernorm.weight[64]",
            "model.layers.0.mlp.gate_proj.weight[192, 64]",
            "model.layers.0.mlp.up_proj.weight[192, 64]",
            "model.layers.0.mlp.down_proj.weight[64, 192]",
            "model.layers.1.input_layernorm.weight[64]")
        .endsWith("model.norm.weight[64]")
        .hasSize(1 + 2 * 11 + 1);
  }

  @Test
  void slicesFillTheFlatVectorWithoutHoles() {
    ParameterLayout layout = ParameterLayout.of(CONFIG);
    long next = 0;
    for (ParameterLayout.Slice slice : layout.slices()) {
      assertThat(slice.elementOffset()).isEqualTo(next);
      next += slice.elementCount();
    }
    assertThat(layout.size()).isEqualTo(99_712).isEqualTo((int) next);
  }

  @Test
  void untiedModelsEndWithTheirHead() {
    List<ParameterLayout.Slice> slices = ParameterLayout.of(config(16, false, 1e4, 64)).slices();
    assertThat(slices.get(slices.size() - 1).name()).isEqualTo("lm_head.weight");
    assertThat(slices.get(slices.size() - 1).shape()).containsExactly(16L, 64L);
  }

  @Test
  void modelHashTellsArchitecturesApartButNotLengths() {
    String hash = ParameterLayout.of(CONFIG).modelHash();
    assertThat(hash).matches("[0-9a-f]{64}");
    assertThat(ParameterLayout.of(config(16, true, 1e4, 128)).modelHash()).isEqualTo(hash);
    assertThat(ParameterLayout.of(config(17, true, 1e4, 64)).modelHash()).isNotEqualTo(hash);
    assertThat(ParameterLayout.of(config(16, false, 1e4, 64)).modelHash()).isNotEqualTo(hash);
    assertThat(ParameterLayout.of(config(16, true, 1e6, 64)).modelHash()).isNotEqualTo(hash);
  }

  @Test
  void ofRefusesMoreParametersThanAnArrayHolds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ParameterLayout.of(config(40_000_000, true, 1e4, 64)))
        .withMessageContaining("2560098688 parameters");
  }

  @Test
  void initializeIsAFunctionOfConfigAndSeed() {
    float[] weights = ParameterInitializer.initialize(CONFIG, 1);
    assertThat(ParameterInitializer.initialize(CONFIG, 1)).isEqualTo(weights);
    assertThat(ParameterInitializer.initialize(CONFIG, 2)).isNotEqualTo(weights);
  }

  @Test
  void initializeDrawsMatricesAndSetsNormsToOne() {
    float[] weights = ParameterInitializer.initialize(CONFIG, 3);
    assertThat(TinyModels.named(CONFIG, weights, "model.layers.1.self_attn.k_norm.weight"))
        .containsOnly(1f);
    double sum = 0;
    double squares = 0;
    float[] matrix = TinyModels.named(CONFIG, weights, "model.layers.1.mlp.up_proj.weight");
    for (float weight : matrix) {
      sum += weight;
      squares += (double) weight * weight;
    }
    assertThat(Math.abs(sum / matrix.length)).isLessThan(0.001);
    assertThat(Math.sqrt(squares / matrix.length)).isBetween(0.0195, 0.0205);
  }

  private static ModelConfig config(
      int vocabSize, boolean tied, double ropeTheta, int maxPositions) {
    return new ModelConfig(
        vocabSize, 64, 192, 2, 4, 2, 16, 1e-6, ropeTheta, tied, maxPositions, 11, 13);
  }
}
