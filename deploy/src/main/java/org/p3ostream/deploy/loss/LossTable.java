package org.p3ostream.deploy.loss;

import java.io.PrintWriter;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A report for people. */
final class LossTable {
  private final PrintWriter out;

  LossTable(PrintWriter out) {
    this.out = out;
  }

  void print(LossInput input, LossReport report, String engine, List<String> warnings) {
    LossReport.Ratios ratios = report.ratios;
    line("algorithm", report.algorithm + ", " + engine + " engine");
    line(
        "tokens",
        "%d valid of %d, micro-batches: %d"
            .formatted(ratios.validTokens(), input.tokens(), input.microBatches().size()));
    line("ESS", ess(ratios.ess()));
    line("cap", report.cap.isEss() ? "the ESS of each micro-batch" : number(report.cap.shared()));
    line("above the cap", percent(report.losses.capFraction));
    line("clipped", percent(report.losses.clipFraction));
    line("loss", number(report.losses.loss));
    line("gradient norm", number(report.losses.gradientNorm()) + " over the log-probs");
    if (ratios.validTokens() > 0) {
      line(
          "ratio",
          "mean %s, std %s, max %s"
              .formatted(number(ratios.mean()), number(ratios.std()), number(ratios.max())));
      line("KL to behaviour", number(ratios.klProxyMean()) + " nats, mean of k3");
      out.println();
      RatioHistogram.of(input.microBatches()).print(out);
    }
    warnings.forEach(warning -> out.println("warning: " + warning));
    out.flush();
  }

  private static String ess(List<@Nullable Double> ess) {
    DoubleSummaryStatistics measured =
        ess.stream().filter(Objects::nonNull).mapToDouble(Double::doubleValue).summaryStatistics();
    if (measured.getCount() == 0) {
      return number(null);
    }
    return measured.getMin() == measured.getMax()
        ? number(measured.getMin())
        : "mean %s, min %s, max %s"
            .formatted(
                number(measured.getAverage()),
                number(measured.getMin()),
                number(measured.getMax()));
  }

  private void line(String name, String value) {
    if (!value.equals("none")) {
      out.printf(Locale.ROOT, "%-16s %s%n", name, value);
    }
  }

  private static String percent(@Nullable Double fraction) {
    return fraction == null
        ? "none"
        : String.format(Locale.ROOT, "%.1f %% of the tokens", 100 * fraction);
  }

  private static String number(@Nullable Double value) {
    return value == null ? "none" : String.format(Locale.ROOT, "%.6g", value);
  }
}
