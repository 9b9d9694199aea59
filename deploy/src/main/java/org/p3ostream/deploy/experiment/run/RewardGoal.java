package org.p3ostream.deploy.experiment.run;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.p3ostream.deploy.evaluation.HeldOutEvaluation;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.WarmStart;
import org.p3ostream.learner.pretrain.Pretrainer;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.policy.checkpoint.NanoModel;

/**
 * The reward that a warm start is trained to: the fraction of right answers to some training
 * prompts, sampled at temperature 1. For the thread that made it.
 */
final class RewardGoal implements Pretrainer.Goal, AutoCloseable {

  private final double goal; // 0: there is none
  private final HeldOutEvaluation evaluation;
  private double reward; // the last that was measured

  private RewardGoal(double goal, HeldOutEvaluation evaluation) {
    this.goal = goal;
    this.evaluation = evaluation;
  }

  /**
   * What a plan asks for.
   *
   * @param prompts that the reward is measured on
   */
  static RewardGoal of(ExperimentPlan plan, List<PromptExample> prompts, Path tokenizerJson) {
    return new RewardGoal(
        plan.warmStart().untilReward(),
        HeldOutEvaluation.open(NanoModel.config(), tokenizerJson, prompts, Evaluations.MAX_TOKENS));
  }

  @Override
  public boolean reached(int step, Supplier<float[]> weights) {
    if (goal == 0 || step % WarmStart.MEASURED_EVERY != 0) {
      return false;
    }
    reward = evaluation.exactMatch(weights.get(), Evaluations.SEED);
    return reward >= goal;
  }

  /**
   * To be called after training.
   *
   * @throws IllegalStateException naming the reward, if it was never reached
   */
  void requireReached(long seed) {
    if (reward < goal) {
      throw new IllegalStateException(
          "the warm start of seed %d ends with a reward of %.3f on training prompts, less than warmStart.untilReward: %s; allow more warmStart.steps or ask for less"
              .formatted(seed, reward, goal));
    }
  }

  @Override
  public void close() {
    evaluation.close();
  }
}
