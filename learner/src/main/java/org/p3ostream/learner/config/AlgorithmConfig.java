package org.p3ostream.learner.config;

/**
 * The policy objective.
 *
 * @param name p3o or grpo
 * @param clipLow GRPO: lower clip ε, the ratio is clipped at 1 − ε
 * @param clipHigh GRPO: upper clip ε, the ratio is clipped at 1 + ε
 */
public record AlgorithmConfig(String name, double clipLow, double clipHigh) {
  public AlgorithmConfig {
    if (!name.equals("p3o") && !name.equals("grpo")) {
      throw new IllegalArgumentException("algorithm.name: '" + name + "' is none of p3o, grpo");
    }
    if (!(clipLow > 0 && clipLow < 1)) {
      throw new IllegalArgumentException("algorithm.clipLow: " + clipLow + " must be in (0, 1)");
    }
    if (!(clipHigh > 0)) {
      throw new IllegalArgumentException("algorithm.clipHigh: " + clipHigh + " must be > 0");
    }
  }

  public static AlgorithmConfig defaults() {
    return new AlgorithmConfig("p3o", 0.2, 0.2);
  }
}
