package org.p3ostream.learner.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SyntheticTaskTest {

  @Test
  void answersAreRight() {
    for (PromptExample example : SyntheticTask.CSUM8.generate(200, 3)) {
      assertThat(example.prompt()).matches("\\d{8}=");
      for (int i = 1; i <= 8; i++) {
        int sum = example.prompt().chars().limit(i).map(digit -> digit - '0').sum();
        assertThat(example.answer().charAt(i - 1) - '0').as(example.prompt()).isEqualTo(sum % 10);
      }
      assertThat(example.answer()).hasSize(8);
    }
    for (PromptExample example : SyntheticTask.SORT8.generate(200, 3)) {
      assertThat(example.prompt()).matches("\\d{8}=");
      String[] digits = example.prompt().substring(0, 8).split("");
      Arrays.sort(digits);
      assertThat(example.answer()).isEqualTo(String.join("", digits));
    }
    for (PromptExample example : SyntheticTask.ARITHMETIC.generate(200, 3)) {
      assertThat(example.prompt()).matches("\\d{1,3}\\+\\d{1,3}=");
      int plus = example.prompt().indexOf('+');
      int left = Integer.parseInt(example.prompt().substring(0, plus));
      int right = Integer.parseInt(example.prompt().replaceAll("^.*\\+|=$", ""));
      assertThat(Integer.parseInt(example.answer())).isEqualTo(left + right);
    }
  }

  @ParameterizedTest
  @EnumSource
  void generateGivesDifferentPromptsAndIsAFunctionOfTheSeed(SyntheticTask task) {
    List<PromptExample> examples = task.generate(1_000, 9);
    assertThat(examples).hasSize(1_000).extracting(PromptExample::prompt).doesNotHaveDuplicates();
    assertThat(task.generate(1_000, 9)).isEqualTo(examples);
    assertThat(task.generate(1_000, 10)).isNotEqualTo(examples);
  }

  @Test
  void generateRefusesMorePromptsThanThereAre() {
    assertThatThrownBy(() -> SyntheticTask.ARITHMETIC.generate(1_000_001, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ARITHMETIC has 1000000 different prompts, asked for 1000001");
  }
}
