package org.p3ostream.learner.task;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Tasks whose prompts are generated: small enough to learn in seconds on a CPU. */
public enum SyntheticTask {
  /**
   * Eight digits, to be answered by their eight running sums modulo 10: {@code 12345678=} → {@code
   * 13605186}.
   */
  CSUM8(100_000_000) {
    @Override
    PromptExample draw(SplittableRandom random) {
      int[] digits = random.ints(8, 0, 10).toArray();
      StringBuilder answer = new StringBuilder();
      int sum = 0;
      for (int digit : digits) {
        sum = (sum + digit) % 10;
        answer.append(sum);
      }
      return new PromptExample(join(digits) + "=", answer.toString());
    }
  },
  /** Eight digits, to be answered in ascending order: {@code 31415926=} → {@code 11234569}. */
  SORT8(100_000_000) {
    @Override
    PromptExample draw(SplittableRandom random) {
      int[] digits = random.ints(8, 0, 10).toArray();
      String prompt = join(digits) + "=";
      Arrays.sort(digits);
      return new PromptExample(prompt, join(digits));
    }
  },
  /** Sums of two numbers below 1000: {@code 271+828=} → {@code 1099}. */
  ARITHMETIC(1_000_000) {
    @Override
    PromptExample draw(SplittableRandom random) {
      int left = random.nextInt(1000);
      int right = random.nextInt(1000);
      return new PromptExample(left + "+" + right + "=", Integer.toString(left + right));
    }
  };

  private final int promptCount;

  SyntheticTask(int promptCount) {
    this.promptCount = promptCount;
  }

  abstract PromptExample draw(SplittableRandom random);

  /** {@code count} different prompts: a function of the task, {@code count} and {@code seed}. */
  public List<PromptExample> generate(int count, long seed) {
    if (count > promptCount) {
      throw new IllegalArgumentException(
          name() + " has " + promptCount + " different prompts, asked for " + count);
    }
    SplittableRandom random = new SplittableRandom(seed);
    Map<String, PromptExample> examples = new LinkedHashMap<>();
    while (examples.size() < count) {
      PromptExample example = draw(random);
      examples.putIfAbsent(example.prompt(), example);
    }
    return new ArrayList<>(examples.values());
  }

  private static String join(int[] digits) {
    StringBuilder text = new StringBuilder();
    for (int digit : digits) {
      text.append(digit);
    }
    return text.toString();
  }
}
