package org.p3ostream.deploy.loss;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.KlProxy;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.schemas.ratio.RatioStatistics;

/** What looks wrong with the tokens of a step, or is wrong with what an objective makes of them. */
final class LossWarnings {

  /** Kernels and precisions differ by less; a temperature of 0.9 shifts by more. Nats. */
  private static final double MEAN_LOG_RATIO = 0.05;

  /** Standard errors that chance does not reach. */
  private static final double STANDARD_ERRORS = 3;

  private static final double LOW_ESS = 0.1;
  private static final double HIGH_ESS = 0.95;

  /** Share of the 1e-8 in the denominator of an ESS from which it is told. */
  private static final double EPSILON_SHARE = 0.05;

  /** Mean ratio that far from 1 under a high ESS. */
  private static final double SHIFTED_RATIO = 0.2;

  private final List<String> warnings = new ArrayList<>();

  private LossWarnings() {}

  static List<String> of(LossInput input, Objective objective, LossReport report) {
    LossWarnings found = new LossWarnings();
    if (!input.unknownFields().isEmpty()) {
      found.add(
          "fields that mean nothing here were passed over: %s",
          String.join(", ", input.unknownFields()));
    }
    if (!input.unknownKeys().isEmpty()) {
      found.add(
          "keys beside micro_batches were passed over: %s", String.join(", ", input.unknownKeys()));
    }
    if (report.ratios.validTokens() == 0) {
      found.add("no valid token: nothing would move");
      return found.warnings;
    }
    Tally tally = Tally.of(input.microBatches());
    found.addTemperature(tally);
    found.addPositive(tally);
    found.addEss(report);
    found.addSaturation(objective, tally);
    found.addNonFinite(report);
    return found.warnings;
  }

  /** Sampled from π_b, log ratios have a mean of −KL(π_b ‖ π_θ), and without staleness of 0. */
  private void addTemperature(Tally tally) {
    Moments fresh = tally.fresh;
    if (fresh.count > 0) {
      if (Math.abs(fresh.mean()) > MEAN_LOG_RATIO) {
        add("looks like T≠1 log-probs: mean log ratio %.2f at staleness 0", fresh.mean());
      }
    } else if (tally.all.mean() > MEAN_LOG_RATIO
        && tally.all.mean() > STANDARD_ERRORS * tally.all.standardError()) {
      add(
          "looks like T≠1 log-probs: mean log ratio %.2f, where log-probs of the distribution that"
              + " was sampled from give none above 0 but by chance",
          tally.all.mean());
    }
  }

  private void addPositive(Tally tally) {
    if (tally.positive > 0) {
      add(
          "log-probs above 0: %d; they are none of a token, or rounded, and the learner refuses such"
              + " records",
          tally.positive);
    }
  }

  private void addEss(LossReport report) {
    report.ratios.measured().stream()
        .filter(LossWarnings::isHeldByEpsilon)
        .min(Comparator.comparingDouble(RatioStatistics::normalizedEss))
        .ifPresent(
            held ->
                add(
                    "ESS %.3g is held down by the 1e-8 in its denominator: the ratios are too small"
                        + " for it (mean %.3g), whether they are alike or not",
                    held.normalizedEss(), held.meanRatio()));
    report.ratios.measured().stream()
        .filter(measured -> essWithoutEpsilon(measured) < LOW_ESS)
        .mapToDouble(RatioStatistics::normalizedEss)
        .min()
        .ifPresent(
            low ->
                add(
                    "ESS %.3g is close to 0: a few tokens outweigh all others, P3O would all but"
                        + " stop at its cap",
                    low));
    double least =
        report.ratios.measured().stream()
            .mapToDouble(RatioStatistics::normalizedEss)
            .min()
            .orElse(1);
    if (least > HIGH_ESS) {
      addShift(report, least);
    }
  }

  private void addShift(LossReport report, double least) {
    if (report.ratios.validTokens() == 1) {
      add(
          "a single valid token: ESS %.3g says nothing of it, any ratio far above 1e-4 gives one"
              + " near 1",
          least);
      return;
    }
    @Nullable Double mean = report.ratios.mean();
    if (mean != null && Math.abs(mean - 1) > SHIFTED_RATIO) {
      add(
          "ESS %.3f although the mean ratio is %.3g: ratios that are all scaled alike leave it at"
              + " 1, it does not see this shift",
          least, mean);
    }
  }

  /** Whether 1e-8 / (S2 + 1e-8) is a share worth telling. */
  private static boolean isHeldByEpsilon(RatioStatistics measured) {
    double epsilonOverSquares = RatioStatistics.EPSILON / Math.exp(measured.logSumSquaredRatio());
    return measured.isFinite() && epsilonOverSquares > EPSILON_SHARE / (1 - EPSILON_SHARE);
  }

  /** S1² / (N · S2): how the ratios spread, whatever their size. */
  private static double essWithoutEpsilon(RatioStatistics measured) {
    return Math.exp(
        2 * measured.logSumRatio()
            - measured.logSumSquaredRatio()
            - Math.log((double) measured.tokenCount()));
  }

  private void addSaturation(Objective objective, Tally tally) {
    if (tally.belowClamp > 0 && objective instanceof P3o p3o) {
      add(
          "tokens whose log ratio is below -%2$.0f, where k3 is clamped: %1$d%3$s",
          tally.belowClamp,
          KlProxy.CLAMP,
          p3o.klMode() == KlMode.PROXY
              ? "; the gradient of proxy pushes them further down, that of proxy-safe does not"
              : "");
    }
  }

  private void addNonFinite(LossReport report) {
    long count =
        DoubleStream.concat(
                DoubleStream.of(report.losses.tokenLoss), DoubleStream.of(report.losses.gradient))
            .filter(figure -> !Double.isFinite(figure))
            .count();
    if (count > 0) {
      add("losses and gradients that are not finite: %d; a learner would stop at this step", count);
    }
  }

  private void add(String format, Object... figures) {
    warnings.add(String.format(Locale.ROOT, format, figures));
  }

  /** Log ratios of some tokens. */
  private static final class Moments {
    private long count;
    private double sum;
    private double squares;

    void add(double value) {
      count++;
      sum += value;
      squares += value * value;
    }

    double mean() {
      return sum / count;
    }

    double standardError() {
      return Math.sqrt(Math.max(0, squares / count - mean() * mean()) / count);
    }
  }

  /** Counts over the valid tokens of a step. */
  private static final class Tally {
    private final Moments all = new Moments();
    private final Moments fresh = new Moments();
    private long positive;
    private long belowClamp;

    static Tally of(List<TokenColumns> microBatches) {
      Tally tally = new Tally();
      for (TokenColumns columns : microBatches) {
        for (int t = 0; t < columns.length(); t++) {
          if (columns.isValid(t)) {
            tally.add(columns, t);
          }
        }
      }
      return tally;
    }

    private void add(TokenColumns columns, int t) {
      double logRatio = columns.logRatio(t);
      all.add(logRatio);
      if (columns.staleness(t) == 0) {
        fresh.add(logRatio);
      }
      positive += columns.logprob(t) > 0 ? 1 : 0;
      positive += columns.behaviorLogprob(t) > 0 ? 1 : 0;
      belowClamp += logRatio < -KlProxy.CLAMP ? 1 : 0;
    }
  }
}
