package org.p3ostream.deploy.report;

import java.util.function.BiConsumer;
import org.p3ostream.deploy.progress.LedgerFixtures;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;

/** Series for tests of what shows them. */
final class Series {

  /** A step every 200 ms, of 576 tokens. */
  static final long STEP_MILLIS = 200;

  private Series() {}

  static StepSeries ofSteps(int count) {
    return ofSteps(count, (step, metrics) -> {});
  }

  /**
   * @param change applied to the metrics of every step
   */
  static StepSeries ofSteps(int count, BiConsumer<Integer, StepMetrics.Builder> change) {
    StepSeries series = new StepSeries();
    series.add(LedgerFixtures.genesis(0));
    for (int step = 0; step < count; step++) {
      double progress = step / (double) Math.max(1, count - 1);
      StepEvent event =
          LedgerFixtures.step(
              step,
              step + 1L,
              (step + 1) * STEP_MILLIS,
              0.25 + 0.7 * progress,
              1 - 0.1 * progress,
              step == 0 ? 0 : 1,
              576);
      StepMetrics.Builder metrics = StepMetrics.newBuilder(event.getMetrics());
      change.accept(step, metrics);
      series.add(StepEvent.newBuilder(event).setMetrics(metrics.build()).build());
    }
    return series;
  }
}
