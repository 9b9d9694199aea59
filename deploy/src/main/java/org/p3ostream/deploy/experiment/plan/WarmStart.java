package org.p3ostream.deploy.experiment.plan;

import org.p3ostream.learner.pretrain.PretrainConfig;

/**
 * How the weights that a run begins with are trained: supervised, on answers with noise, so that
 * the model knows the answers but is unsure of them. Each seed has weights of its own.
 *
 * @param steps optimizer steps
 * @param batchSize examples per step
 * @param learningRate peak learning rate
 * @param warmupSteps steps of linear warm-up
 * @param labelNoise probability that a digit of an answer is replaced by a random digit
 */
public record WarmStart(
    int steps, int batchSize, double learningRate, int warmupSteps, double labelNoise) {

  /** Those of {@code p3o pretrain}. */
  public static WarmStart defaults() {
    PretrainConfig standard = PretrainConfig.defaults();
    return new WarmStart(
        standard.steps(),
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
