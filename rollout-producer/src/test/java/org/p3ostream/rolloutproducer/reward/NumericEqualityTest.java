package org.p3ostream.rolloutproducer.reward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumericEqualityTest {

  private final Reward reward = new NumericEquality();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "42 | 42",
        "the answer is 42. | 42",
        "first 7, then 42 | 42",
        "42.0 | 42",
        "0.42e2 | 42",
        "1,234 | 1234",
        "1,234,567.5 | 1234567.5",
        "= -3 | -3",
        "x=-3 | -3",
        "7-3 | 3",
        "(2)-3 | 3",
        "+3 | 3",
        "x = \u22123 | -3",
        "-3 | \u22123",
        "7\u22123 | 3",
        "2e\u22122 | 0.02",
        ".5 | 0.5",
        "1000000000.5 | 1000000000",
        "-0 | 0",
      })
  void scoreIsOneWhenTheLastNumberEqualsTheAnswer(String response, String answer) {
    assertThat(reward.score(response, answer).value()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "no number | 42",
        "42 or 43 | 42",
        "42.0000001 | 42",
        "-42 | 42",
        "x = \u221242 | 42",
        "0.0000000001 | 0",
        "1,23 | 123",
        "1e400000000 | 4",
      })
  void scoreIsZeroWhenTheLastNumberDiffers(String response, String answer) {
    assertThat(reward.score(response, answer).value()).isZero();
  }

  @Test
  void scoreIsZeroWhenTheResponseIsEmpty() {
    assertThat(reward.score("", "42").value()).isZero();
  }

  @Test
  void scoreThrowsWhenTheReferenceAnswerIsNoNumber() {
    assertThatThrownBy(() -> reward.score("42", "forty-two"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("reward numeric: reference answer 'forty-two' is no number");
  }
}
