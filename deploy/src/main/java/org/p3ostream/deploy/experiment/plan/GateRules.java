package org.p3ostream.deploy.experiment.plan;

/**
 * The numbers of the gate, and of what counts as a collapse.
 *
 * @param rewardMargin a run has learnt if its held-out reward is above that of its warm start by
 *     this much
 * @param collapseBelow a run has collapsed if its held-out reward is below that of its warm start
 *     by more than this,
 * @param collapseShare or if the mean training reward of its last ten steps is below this share of
 *     the best such mean
 */
public record GateRules(double rewardMargin, double collapseBelow, double collapseShare) {
  public GateRules {
    require(rewardMargin >= 0, "rewardMargin", rewardMargin, "must be >= 0");
    require(collapseBelow >= 0, "collapseBelow", collapseBelow, "must be >= 0");
    require(
        collapseShare >= 0 && collapseShare <= 1,
        "collapseShare",
        collapseShare,
        "must be in [0, 1]");
  }

  public static GateRules defaults() {
    return new GateRules(0.05, 0.05, 0.5);
  }

  private static void require(boolean holds, String key, double value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException("gate." + key + ": " + value + " " + rule);
    }
  }
}
