package org.p3ostream.rolloutproducer.reward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegexMatchTest {

  private final Reward reward = new RegexMatch();

  @Test
  void scoreIsOneWhenTheExpressionMatchesTheWholeResponse() {
    assertThat(reward.score("4711", "\\d{4}").value()).isEqualTo(1);
  }

  @Test
  void scoreIsZeroWhenTheExpressionMatchesOnlyAPart() {
    assertThat(reward.score("4711!", "\\d{4}").value()).isZero();
  }

  /** A backtracking matcher tries 2^5000 ways here. */
  @Test
  void scoreReturnsWhenABacktrackingMatcherWouldNot() {
    assertThat(reward.score("a".repeat(5000) + "b", "(a|a)*(a+)+").value()).isZero();
  }

  /** Beyond the stack of a recursive matcher. */
  @Test
  void scoreReturnsWhenTheResponseIsLong() {
    assertThat(reward.score("ab".repeat(100_000), "(a|b)*").value()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"(", "a{2,1}", "(?=a)", "(a)\\1"})
  void scoreThrowsWhenTheExpressionIsNotSupported(String expression) {
    assertThatThrownBy(() -> reward.score("a", expression))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("reward regex")
        .hasMessageContaining(expression);
  }

  /** A billion states, and deeper than the stack of a recursive parser. */
  @Test
  void scoreThrowsWhenTheExpressionIsTooLarge() {
    for (String expression :
        List.of("((a{1000}){1000}){1000}", "(".repeat(50_000) + ")".repeat(50_000))) {
      assertThatThrownBy(() -> reward.score("a", expression))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("too large");
    }
  }
}
