package org.p3ostream.rolloutproducer.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.policy.precision.WeightPrecision;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.config.ProducerConfigs;
import org.p3ostream.rolloutproducer.config.VariantConfig;
import org.p3ostream.schemas.avro.PromptTask;

class MixtureTest {

  private static final PromptTask TASK = task().build(); // of four responses

  private static PromptTask.Builder task() {
    return PromptTasks.builder(3)
        .setSampling(PromptTasks.sampling().setTemperature(0.7).setTopK(5).build());
  }

  private static final Mixture MIXED =
      Mixture.of(
          ProducerConfigs.mixed(
              new VariantConfig(2, 0, 1, null, null),
              new VariantConfig(1, 3, 1, 1.5, WeightPrecision.INT4),
              new VariantConfig(1, 0, 8, null, null)));

  @Test
  void withoutAMixtureThereIsOneVariantAsTheTaskAsks() {
    Mixture none = Mixture.of(ProducerConfigs.rounding(WeightPrecision.FP8));

    assertThat(none.size()).isEqualTo(1);
    assertThat(none.versions(9)).containsExactly(9L);
    assertThat(none.violation(TASK)).isEmpty();
    assertThat(none.variants(TASK))
        .containsExactly(
            new Variant(
                4, TaskRules.parameters(TASK.getSampling()), WeightPrecision.FP8, TASK.getSeed()));
  }

  @Test
  void variantsHaveTheirOwnVersionPrecisionAndTemperatureAndTheRestFromTheTask() {
    assertThat(MIXED.size()).isEqualTo(3);
    assertThat(MIXED.versions(10)).containsExactly(10L, 7L, 8L);
    List<Variant> variants = MIXED.variants(TASK);
    assertThat(variants).extracting(Variant::responses).containsExactly(2, 1, 1);
    assertThat(variants)
        .extracting(Variant::precision)
        .containsExactly(WeightPrecision.FLOAT32, WeightPrecision.INT4, WeightPrecision.FLOAT32);
    assertThat(variants)
        .extracting(variant -> variant.parameters().temperature())
        .containsExactly(0.7, 1.5, 0.7);
    assertThat(variants).allMatch(variant -> variant.parameters().topK() == 5);
  }

  /** Variants that are alike would sample the same tokens from the same seed. */
  @Test
  void variantsHaveSeedsOfTheirOwnThatFollowFromTheTask() {
    List<Long> seeds = MIXED.variants(TASK).stream().map(Variant::seed).toList();
    assertThat(seeds).doesNotHaveDuplicates().startsWith(TASK.getSeed());
    assertThat(MIXED.variants(TASK)).extracting(Variant::seed).isEqualTo(seeds);
    PromptTask other = task().setSeed(4711).build();
    assertThat(MIXED.variants(other)).extracting(Variant::seed).doesNotContainAnyElementsOf(seeds);
  }

  @Test
  void aTaskOfAnotherNumberOfResponsesIsNotShared() {
    assertThat(MIXED.violation(TASK)).isEmpty();
    assertThat(MIXED.violation(task().setSamplesPerGroup(8).build()))
        .contains("samplesPerGroup: 8 is not the number of responses in producer.mixture, 4");
  }
}
