package org.p3ostream.deploy.report;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Means over the last ten steps that have a value, taken over all steps of a run before some are
 * left out of its page.
 */
final class RunningMeans {

  private static final int STEPS = 10;

  /** A value and what it is divided by. */
  private record Term(double value, double weight) {}

  private RunningMeans() {}

  /** Mean of the reward, per row; null where the row has none. */
  static @Nullable Double[] reward(List<StepRow> rows) {
    return over(rows, row -> term(StepColumn.REWARD_MEAN.finite(row), 1.0));
  }

  /** Tokens trained over seconds passed, per row; null where the row has none. */
  static @Nullable Double[] trainedTokensPerSecond(List<StepRow> rows) {
    return over(
        rows,
        row ->
            row.trainedTokensPerSecond() == null || row.stepMillis() == null
                ? null
                : term(StepColumn.VALID_TOKENS.finite(row), row.stepMillis() / 1e3));
  }

  private static @Nullable Double[] over(
      List<StepRow> rows, Function<StepRow, @Nullable Term> reading) {
    @Nullable Double[] means = new Double[rows.size()];
    Deque<Term> last = new ArrayDeque<>();
    for (int i = 0; i < means.length; i++) {
      @Nullable Term term = reading.apply(rows.get(i));
      if (term != null) {
        last.add(term);
        if (last.size() > STEPS) {
          last.remove();
        }
        means[i] =
            last.stream().mapToDouble(Term::value).sum()
                / last.stream().mapToDouble(Term::weight).sum();
      }
    }
    return means;
  }

  private static @Nullable Term term(@Nullable Double value, double weight) {
    return value == null ? null : new Term(value, weight);
  }
}
