package org.p3ostream.learner.window;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.objective.GroupAdvantage;
import org.p3ostream.learner.objective.OverlongPenalty;

/**
 * How the rewards of a group become advantages.
 *
 * @param advantage relative to the group
 * @param overlong taken off the rewards first; null for none
 */
public record AdvantageRule(GroupAdvantage advantage, @Nullable OverlongPenalty overlong) {

  /** Rewards as they are, divided by their population standard deviation. */
  public static final AdvantageRule STANDARD =
      new AdvantageRule(GroupAdvantage.POPULATION_STD, null);

  /**
   * Advantages of one group.
   *
   * @param responses [G']
   * @return [G'], not finite where the rewards are too large
   */
  double[] of(List<TrainingResponse> responses) {
    double[] rewards = new double[responses.size()];
    for (int i = 0; i < rewards.length; i++) {
      TrainingResponse response = responses.get(i);
      rewards[i] = response.reward() + (overlong == null ? 0 : overlong.of(response.length()));
    }
    return advantage.of(rewards);
  }
}
