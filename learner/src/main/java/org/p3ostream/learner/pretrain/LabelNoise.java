package org.p3ostream.learner.pretrain;

import java.util.SplittableRandom;

/**
 * Replaces digits of an answer by random digits, each with a given probability (the digit itself
 * may come up again). A model trained on such answers knows the right one but is unsure of it,
 * which is what reinforcement learning can sharpen.
 */
final class LabelNoise {
  private final double probability;
  private final SplittableRandom random;

  LabelNoise(double probability, SplittableRandom random) {
    this.probability = probability;
    this.random = random;
  }

  String apply(String answer) {
    StringBuilder noisy = new StringBuilder(answer);
    for (int i = 0; i < noisy.length(); i++) {
      char symbol = noisy.charAt(i);
      if (symbol >= '0' && symbol <= '9' && random.nextDouble() < probability) {
        noisy.setCharAt(i, (char) ('0' + random.nextInt(10)));
      }
    }
    return noisy.toString();
  }
}
