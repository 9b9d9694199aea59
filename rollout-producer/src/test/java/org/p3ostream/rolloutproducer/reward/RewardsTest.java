package org.p3ostream.rolloutproducer.reward;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RewardsTest {

  @Test
  void namedFindsEveryRewardThatPromptsMayAskFor() {
    assertThat(Rewards.names()).containsExactly("exact-match", "numeric", "regex");
    assertThat(Rewards.names()).allMatch(name -> Rewards.named(name).isPresent());
  }

  @Test
  void namedIsEmptyWhenNoRewardHasTheName() {
    assertThat(Rewards.named("llm-judge")).isEmpty();
  }

  @Test
  void exactMatchIgnoresBlanksAroundTheAnswerAndNothingElse() {
    Reward reward = Rewards.named("exact-match").orElseThrow();

    assertThat(reward.score(" 42\n", "42").value()).isEqualTo(1);
    assertThat(reward.score("4 2", "42").value()).isZero();
    assertThat(reward.score("042", "42").value()).isZero();
    assertThat(reward.score("", "42").value()).isZero();
  }

  @Test
  void scoreNamesItsComponent() {
    Score score = Rewards.named("exact-match").orElseThrow().score("42", "42");

    assertThat(score.components()).containsExactly(java.util.Map.entry("exact-match", 1.0));
  }
}
