package org.p3ostream.learner.pretrain;

import java.util.Arrays;
import java.util.List;

/**
 * Prompts with answers as arrays: sequences without their last token, right-padded, and the answer
 * tokens to predict.
 */
final class SupervisedBatch {

  /** Token ids of one example; the answer ends with end-of-sequence. The arrays are not copied. */
  static final class Example {
    final int[] prompt;
    final int[] answer;

    Example(int[] prompt, int[] answer) {
      this.prompt = prompt;
      this.answer = answer;
    }

    int columns() {
      return prompt.length + answer.length - 1;
    }
  }

  final int rows; // B
  final int columns; // T
  final long[] ids; // [B·T]
  final long[] positions; // [N], b·T + t of the hidden state that predicts the token
  final long[] targets; // [N]

  SupervisedBatch(List<Example> examples, int padTokenId) {
    rows = examples.size();
    columns = examples.stream().mapToInt(Example::columns).max().orElseThrow();
    ids = new long[rows * columns];
    Arrays.fill(ids, padTokenId);
    int count = examples.stream().mapToInt(example -> example.answer.length).sum();
    positions = new long[count];
    targets = new long[count];
    int n = 0;
    for (int b = 0; b < rows; b++) {
      Example example = examples.get(b);
      int start = b * columns;
      for (int t = 0; t < example.columns() + 1; t++) {
        int answerIndex = t - example.prompt.length;
        int token = answerIndex < 0 ? example.prompt[t] : example.answer[answerIndex];
        if (t < example.columns()) {
          ids[start + t] = token;
        }
        if (answerIndex >= 0) {
          positions[n] = (long) start + t - 1;
          targets[n] = token;
          n++;
        }
      }
    }
  }
}
