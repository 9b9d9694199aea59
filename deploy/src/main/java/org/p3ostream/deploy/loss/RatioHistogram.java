package org.p3ostream.deploy.loss;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** How the raw ratios of the valid tokens spread, in steps of factors. */
final class RatioHistogram {

  private static final double[] EDGES = {0.125, 0.25, 0.5, 0.8, 1.25, 2, 4, 8};
  private static final String[] NAMES = {
    "below 1/8",
    "1/8 to 1/4",
    "1/4 to 1/2",
    "1/2 to 0.8",
    "0.8 to 1.25",
    "1.25 to 2",
    "2 to 4",
    "4 to 8",
    "8 and above"
  };
  private static final int BAR = 40;

  private final long[] counts = new long[NAMES.length];

  static RatioHistogram of(List<TokenColumns> microBatches) {
    RatioHistogram histogram = new RatioHistogram();
    for (TokenColumns columns : microBatches) {
      for (int t = 0; t < columns.length(); t++) {
        if (columns.isValid(t)) {
          histogram.counts[bin(Math.exp(columns.logRatio(t)))]++;
        }
      }
    }
    return histogram;
  }

  /** Lower edges belong to their bin. */
  private static int bin(double ratio) {
    int bin = 0;
    while (bin < EDGES.length && ratio >= EDGES[bin]) {
      bin++;
    }
    return bin;
  }

  void print(PrintWriter out) {
    long most = 1;
    for (long count : counts) {
      most = Math.max(most, count);
    }
    out.printf(Locale.ROOT, "%-13s %10s%n", "ratio", "tokens");
    for (int i = 0; i < counts.length; i++) {
      long bar = (counts[i] * BAR + most - 1) / most; // a single token is seen
      String line =
          String.format(Locale.ROOT, "%-13s %10d  %s", NAMES[i], counts[i], "#".repeat((int) bar));
      out.println(line.stripTrailing());
    }
  }
}
