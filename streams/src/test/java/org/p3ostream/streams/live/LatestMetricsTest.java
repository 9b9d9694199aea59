package org.p3ostream.streams.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.metric.Metric;

class LatestMetricsTest {
  private final LatestMetrics latest = new LatestMetrics(Records.RUN);

  @Test
  void valueIsTheLastOneTaken() {
    latest.add(Metric.LAG_RECORDS.point(Records.RUN, 1, 8, 0));
    latest.add(Metric.LAG_RECORDS.point(Records.RUN, 2, 5, 0));

    assertThat(latest.value(Metric.LAG_RECORDS)).isEqualTo(5);
  }

  @Test
  void valueIsNanWhenNoneIsKnown() {
    assertThat(latest.value(Metric.LAG_RECORDS)).isNaN();
  }

  @Test
  void addPassesOverPointsOfAnotherRunOrName() {
    latest.add(Metric.LOSS.point("run-b", 1, 8, 0));
    latest.add(
        MetricPoint.newBuilder(Metric.LOSS.point(Records.RUN, 1, 8, 0)).setName("other").build());

    assertThat(latest.value(Metric.LOSS)).isNaN();
  }

  @Test
  void labelledMetricHasAGaugePerLabelOfItsNewestStep() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    addStaleness(4, 0, 7);
    latest.bindTo(registry);
    addStaleness(5, 1, 20);
    addStaleness(5, 2, 30);

    assertThat(registry.scrape().lines().filter(line -> line.startsWith("p3o_train_staleness_t")))
        .containsExactlyInAnyOrder(
            "p3o_train_staleness_tokens{staleness=\"1\"} 20.0",
            "p3o_train_staleness_tokens{staleness=\"2\"} 30.0");
  }

  private void addStaleness(long step, int staleness, double tokens) {
    latest.add(
        Metric.STALENESS_TOKENS.point(
            Records.RUN, step, tokens, 0, Map.of(Metric.STALENESS_LABEL, "" + staleness)));
  }

  @Test
  void gaugesCarryNamesThatPrometheusTakesWithUnitOnce() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    latest.bindTo(registry);
    latest.add(Metric.LAG_RECORDS.point(Records.RUN, 1, 8, 0));
    latest.add(Metric.STALENESS_MAX.point(Records.RUN, 1, 2, 0));
    latest.add(Metric.NORMALIZED_ESS.point(Records.RUN, 1, 0.5, 0));

    assertThat(registry.scrape())
        .contains("\np3o_rollout_lag_records 8.0\n")
        .contains("\np3o_train_staleness_max_versions 2.0\n")
        .contains("\np3o_train_p3o_normalized_ess 0.5\n");
  }
}
