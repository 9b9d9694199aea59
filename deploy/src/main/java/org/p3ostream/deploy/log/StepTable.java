package org.p3ostream.deploy.log;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.ledger.BehaviorKl;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;

/**
 * Events of the ledger for people: a line each under a head that names the algorithm, with the
 * figures of those that trained.
 */
final class StepTable implements RecordSink<StepEvent> {

  private static final String COLUMNS = "%6s  %-7s  %7s  %6s  %6s  %6s  %8s  %9s  %7s  %s";

  private final PrintWriter out;
  private @Nullable String algorithm;

  StepTable(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void show(LogEntry entry, StepEvent event) {
    if (!event.getAlgorithm().equals(algorithm)) {
      algorithm = event.getAlgorithm();
      head(algorithm);
    }
    @Nullable StepMetrics metrics = event.getMetrics();
    print(
        event.getStep(),
        event.getKind(),
        event.getPolicyVersionAfter(),
        figure(metrics, m -> number("%.3f", m.getRewardMean())),
        figure(metrics, m -> number("%.3f", m.getNormalizedEss())),
        figure(
            metrics, m -> m.getAdaptiveCap() == null ? "none" : number("%.3f", m.getAdaptiveCap())),
        figure(metrics, m -> number("%.2e", BehaviorKl.mean(m))),
        figure(metrics, m -> number("%.2f", m.getStalenessMean())),
        figure(metrics, m -> Long.toString(m.getValidTokens())),
        event.getSkipped().isEmpty() ? "" : event.getSkipped().size());
  }

  private void head(String algorithm) {
    out.println("algorithm " + algorithm);
    print(
        "step", "kind", "version", "reward", "ESS", "cap", "KL", "staleness", "tokens", "skipped");
  }

  private static String figure(
      @Nullable StepMetrics metrics, Function<StepMetrics, String> figure) {
    return metrics == null ? "" : figure.apply(metrics);
  }

  private static String number(String format, double value) {
    return String.format(Locale.ROOT, format, value);
  }

  private void print(Object... columns) {
    out.println(String.format(Locale.ROOT, COLUMNS, columns).stripTrailing());
    out.flush();
  }
}
