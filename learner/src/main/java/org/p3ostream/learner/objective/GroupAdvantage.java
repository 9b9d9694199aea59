package org.p3ostream.learner.objective;

/**
 * Group-relative advantages.
 *
 * <pre>
 *   POPULATION_STD  A_i = (r_i − mean(r)) / (std(r) + 1e-6),  std² = Σ (r_i − mean)² / G
 *   SAMPLE_STD      A_i = (r_i − mean(r)) / (std(r) + 1e-8),  std² = Σ (r_i − mean)² / (G − 1)
 *   MEAN_ONLY       A_i = r_i − mean(r)
 *   LEAVE_ONE_OUT   A_i = r_i − mean of the other G − 1 rewards = G/(G − 1) · (r_i − mean(r))
 * </pre>
 *
 * Sources: Shao et al. 2024, arXiv:2402.03300, section 4.1.2, with the population standard
 * deviation of Fakoor et al. 2026, arXiv:2605.12380, or the sample one of its reference code; Liu
 * et al. 2025 (Dr. GRPO), arXiv:2503.20783 (mean only); Ahmadian et al. 2024 (RLOO),
 * arXiv:2402.14740, section 2.3 (leave one out). The formula of arXiv:2402.03300 has nothing added
 * to std. float64, one group at a time, summed in response order. A group of equal rewards, and so
 * a group of one, has advantages of exactly 0.
 */
public enum GroupAdvantage {
  POPULATION_STD("population-std"),
  SAMPLE_STD("sample-std"),
  MEAN_ONLY("mean-only"),
  LEAVE_ONE_OUT("leave-one-out");

  private final String id;

  GroupAdvantage(String id) {
    this.id = id;
  }

  /** Name in configurations. */
  public String id() {
    return id;
  }

  /**
   * Advantages of one group.
   *
   * @param rewards [G], at least one
   * @return advantages, [G]
   */
  public double[] of(double[] rewards) {
    if (rewards.length == 0) {
      throw new IllegalArgumentException("a group without responses has no advantages");
    }
    int others = Math.max(1, rewards.length - 1);
    double mean = mean(rewards);
    double divisor =
        switch (this) {
          case POPULATION_STD -> Math.sqrt(squares(rewards, mean) / rewards.length) + 1e-6;
          case SAMPLE_STD -> Math.sqrt(squares(rewards, mean) / others) + 1e-8;
          case MEAN_ONLY -> 1;
          case LEAVE_ONE_OUT -> (double) others / rewards.length;
        };
    double[] advantages = new double[rewards.length];
    for (int i = 0; i < rewards.length; i++) {
      advantages[i] = (rewards[i] - mean) / divisor;
    }
    return advantages;
  }

  private static double squares(double[] rewards, double mean) {
    double squares = 0;
    for (double reward : rewards) {
      squares += (reward - mean) * (reward - mean);
    }
    return squares;
  }

  private static double mean(double[] rewards) {
    double first = rewards[0];
    double sum = 0;
    for (double reward : rewards) {
      sum += reward - first; // shifted, so that equal rewards have exactly their own mean
    }
    return first + sum / rewards.length;
  }
}
