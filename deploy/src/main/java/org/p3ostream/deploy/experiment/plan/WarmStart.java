package org.p3ostream.deploy.experiment.plan;

import org.p3ostream.learner.pretrain.PretrainConfig;

/**
 * How the weights that a run begins with are trained: supervised, on answers with noise, so that
 * the model knows the answers but is unsure of them. Each seed has weights of its own.
 *
 * <p>How long it takes until a small model finds out how a task is done depends on its seed more
 * than on anything else: with the same number of steps one seed knows half of the answers and
 * another none. So it is trained until a reward is reached.
 *
 * @param steps optimizer steps, at the most
 * @param untilReward ends before that, once the reward on training prompts, measured every {@value
 *     #MEASURED_EVERY} steps, is at least this; 0: all steps are done
 * @param batchSize examples per step
 * @param learningRate peak learning rate
 * @param warmupSteps steps of linear warm-up
 * @param labelNoise probability that a digit of an answer is replaced by a random digit
 */
public record WarmStart(
    int steps,
    double untilReward,
    int batchSize,
    double learningRate,
    int warmupSteps,
    double labelNoise) {

  /** Steps between two measurements of the reward. */
  public static final int MEASURED_EVERY = 50;

  private static final int MOST_STEPS = 3000;

  private static final double REWARD = 0.25;

  /** As {@code p3o pretrain} does it, for as long as it takes. */
  public static WarmStart defaults() {
    PretrainConfig standard = PretrainConfig.defaults();
    return new WarmStart(
        MOST_STEPS,
        REWARD,
        standard.batchSize(),
        standard.learningRate(),
        standard.warmupSteps(),
        standard.labelNoise());
  }

  /**
   * The recipe of one seed.
   *
   * @throws IllegalArgumentException naming the key and the rule that it breaks
   */
  public PretrainConfig recipe(long seed) {
    return new PretrainConfig(steps, batchSize, learningRate, warmupSteps, labelNoise, seed);
  }
}
