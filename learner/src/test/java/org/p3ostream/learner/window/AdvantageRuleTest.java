package org.p3ostream.learner.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.learner.window.RolloutGroups.good;

import org.junit.jupiter.api.Test;
import org.p3ostream.learner.objective.GroupAdvantage;
import org.p3ostream.learner.objective.OverlongPenalty;

class AdvantageRuleTest {

  private static final RolloutCoordinate COORDINATE = new RolloutCoordinate(0, 0);

  /** Five tokens of at most six with a buffer of two lose half a point: rewards 0.5 and 0. */
  @Test
  void overlongResponsesLoseRewardBeforeTheAdvantagesAndKeepTheRewardTheyWereGiven() {
    TrainingGroup group =
        group(new AdvantageRule(GroupAdvantage.MEAN_ONLY, new OverlongPenalty(6, 2, 1)));
    assertThat(group.responses()).extracting(TrainingResponse::length).containsExactly(5, 3);
    assertThat(group.advantages()).containsExactly(0.25, -0.25);
    assertThat(group.rewards()).containsExactly(1, 0);
  }

  @Test
  void advantagesAreThoseOfTheRule() {
    assertThat(group(AdvantageRule.STANDARD).advantages())
        .containsExactly(GroupAdvantage.POPULATION_STD.of(new double[] {1, 0}));
    assertThat(group(new AdvantageRule(GroupAdvantage.LEAVE_ONE_OUT, null)).advantages())
        .containsExactly(1, -1);
  }

  private static TrainingGroup group(AdvantageRule rule) {
    RolloutContract contract =
        new RolloutContract(
            RolloutGroups.MODEL_HASH,
            RolloutGroups.TOKENIZER_HASH,
            RolloutGroups.VOCAB_SIZE,
            RolloutGroups.SAMPLES_PER_GROUP,
            RolloutGroups.MAX_POSITIONS,
            rule,
            SamplingRules.STANDARD,
            BehaviorVersions.NOT_NEEDED);
    return ((RolloutContract.Kept) contract.check(good(0, 0, 0, 0), COORDINATE, 0, 0, true))
        .group();
  }
}
