package org.p3ostream.learner.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PromptsConfigTest {

  private static final DatasetConfig SUMS = dataset("sums", "a.jsonl", 3);

  @Test
  void fileAndRewardMeanOneDataSetNamedTrain() {
    PromptsConfig config = PromptsConfig.single("a.jsonl", "numeric");
    assertThat(config.all()).containsExactly(new DatasetConfig("train", "a.jsonl", "numeric", 1));
    assertThat(config.path(0, "file")).isEqualTo("prompts.file");
  }

  @Test
  void datasetsAreTakenAsTheyAre() {
    DatasetConfig sorting = dataset("sorting-2.b_1", "b.jsonl", 0.5);
    PromptsConfig config = new PromptsConfig(null, null, List.of(SUMS, sorting));
    assertThat(config.all()).containsExactly(SUMS, sorting);
    assertThat(config.path(1, "file")).isEqualTo("prompts.datasets[1].file");
  }

  static Stream<Arguments> faults() {
    return Stream.of(
        Arguments.of(dataset("", "b", 1), "prompts.datasets[1].name: '' must be 1 to 64 letters"),
        Arguments.of(dataset("a:b", "b", 1), "prompts.datasets[1].name: 'a:b' must be 1 to 64"),
        Arguments.of(dataset("x".repeat(65), "b", 1), "must be 1 to 64 letters"),
        Arguments.of(dataset("sums", "b", 1), "[1].name: 'sums' is the name of an earlier"),
        Arguments.of(dataset("b", " ", 1), "prompts.datasets[1].file: '' must name a file"),
        Arguments.of(dataset("b", "b", 0), "prompts.datasets[1].weight: 0.0 must be > 0"),
        Arguments.of(dataset("b", "b", -1), "prompts.datasets[1].weight: -1.0 must be > 0"),
        Arguments.of(dataset("b", "b", Double.NaN), "prompts.datasets[1].weight: NaN must be"),
        Arguments.of(dataset("b", "b", 1 / 0.0), "weight: Infinity must be > 0 and finite"));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void datasetsThatBreakARuleAreRefusedByPathValueAndRule(DatasetConfig second, String message) {
    assertThatThrownBy(() -> new PromptsConfig(null, null, List.of(SUMS, second)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void noDataSetIsRefused() {
    assertThatThrownBy(() -> new PromptsConfig(null, null, List.of()))
        .hasMessageContaining("prompts.datasets: [] must hold at least one data set");
    assertThatThrownBy(() -> PromptsConfig.single("", "exact-match"))
        .hasMessageContaining("prompts.file: '' must name a file");
  }

  @Test
  void bothFormsAreRefused() {
    assertThatThrownBy(() -> new PromptsConfig("a.jsonl", null, List.of(SUMS)))
        .hasMessageContaining("prompts.file: a.jsonl cannot stand beside prompts.datasets");
    assertThatThrownBy(() -> new PromptsConfig(null, "regex", List.of(SUMS)))
        .hasMessageContaining("prompts.reward: regex cannot stand beside prompts.datasets");
  }

  private static DatasetConfig dataset(String name, String file, double weight) {
    return new DatasetConfig(name, file, "exact-match", weight);
  }
}
