package org.p3ostream.learner.objective;

/**
 * Group-relative advantages.
 *
 * <pre>  A_i = (r_i − mean(r)) / (std(r) + 1e-6),  std over the population  </pre>
 *
 * Source: Shao et al. 2024, arXiv:2402.03300, section 4.1.2; population standard deviation as in
 * arXiv:2605.12380. float64, one group at a time, summed in response order. A group of equal
 * rewards has advantages of exactly 0.
 */
public final class GroupAdvantage {

  /** Added to the standard deviation. */
  public static final double EPSILON = 1e-6;

  private GroupAdvantage() {}

  /**
   * Advantages of one group.
   *
   * @param rewards [G]
   * @return advantages, [G]
   */
  public static double[] populationStd(double[] rewards) {
    double mean = mean(rewards);
    double squares = 0;
    for (double reward : rewards) {
      squares += (reward - mean) * (reward - mean);
    }
    double std = Math.sqrt(squares / rewards.length);
    double[] advantages = new double[rewards.length];
    for (int i = 0; i < rewards.length; i++) {
      advantages[i] = (rewards[i] - mean) / (std + EPSILON);
    }
    return advantages;
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
