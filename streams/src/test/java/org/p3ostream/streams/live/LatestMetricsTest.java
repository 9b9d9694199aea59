package org.p3ostream.streams.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.MetricPoint;
import org.p3ostream.streams.fixture.Records;
import org.p3ostream.streams.metric.Metric;
import org.p3ostream.streams.metric.MetricLabels;

class LatestMetricsTest {
  private final LatestMetrics latest = new LatestMetrics(Records.RUN);

  @Test
  void valueIsTheLastOneTaken() {
    latest.add(Metric.LAG_RECORDS.point(Records.RUN, 1, 8, 0));
    latest.add(Metric.LAG_RECORDS.point(Records.RUN, 2, 5, 0));

    assertThat(latest.value(Metric.LAG_RECORDS)).isEqualTo(5);
  }

  @Test
  void aSecondPassOverTheLogDoesNotTurnValuesBack() {
    latest.add(Metric.LAG_RECORDS.point(Records.RUN, 5, 8, 0));

    latest.add(Metric.LAG_RECORDS.point(Records.RUN, 1, 3, 0));
    assertThat(latest.value(Metric.LAG_RECORDS)).isEqualTo(8);

    latest.add(Metric.LAG_RECORDS.point(Records.RUN, 5, 7, 0));
    assertThat(latest.value(Metric.LAG_RECORDS)).isEqualTo(7);
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
    latest.show();

    assertThat(registry.scrape().lines().filter(line -> line.startsWith("p3o_train_staleness_t")))
        .containsExactlyInAnyOrder(
            "p3o_train_staleness_tokens{staleness=\"1\"} 20.0",
            "p3o_train_staleness_tokens{staleness=\"2\"} 30.0");
  }

  @Test
  void labelThatStaysIsInEveryScrapeWithItsNewestValue() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    List<String> removed = new ArrayList<>();
    registry.config().onMeterRemoved(meter -> removed.add(meter.getId().toString()));
    latest.bindTo(registry);
    addStaleness(4, 0, 7);
    latest.show();

    addStaleness(5, 0, 20);
    assertThat(registry.scrape()).contains("p3o_train_staleness_tokens{staleness=\"0\"} 20.0\n");
    latest.show();

    assertThat(registry.scrape()).contains("p3o_train_staleness_tokens{staleness=\"0\"} 20.0\n");
    assertThat(removed).isEmpty();
  }

  @Test
  void producersAreShownUntilOneIsFarNewer() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    latest.bindTo(registry);
    addProducer("a", 1, 0);
    addProducer("b", 2, MetricLabels.RECENT_MS);
    latest.show();
    assertThat(failures(registry)).containsExactlyInAnyOrder("a", "b");

    addProducer("b", 3, MetricLabels.RECENT_MS + 1);
    latest.show();

    assertThat(failures(registry)).containsExactly("b");
  }

  @Test
  void deadLettersOfAReasonAreShownForGood() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    latest.bindTo(registry);
    for (String reason : List.of("STALE", "NON_FINITE")) {
      latest.add(
          Metric.DEAD_LETTERS.point(
              Records.RUN,
              Metric.NO_STEP,
              3,
              reason.length() * MetricLabels.RECENT_MS,
              Map.of(Metric.REASON_LABEL, reason)));
    }
    latest.show();

    assertThat(registry.scrape())
        .contains("p3o_rollout_dead_letters_records{reason=\"STALE\"} 3.0")
        .contains("p3o_rollout_dead_letters_records{reason=\"NON_FINITE\"} 3.0");
  }

  @Test
  void versionsAreNotShown() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    latest.bindTo(registry);
    latest.add(
        Metric.VERSION_NORMALIZED_ESS.point(
            Records.RUN, 1, 0.5, 0, Map.of(Metric.VERSION_LABEL, "1")));
    latest.show();

    assertThat(registry.scrape()).doesNotContain("version_normalized_ess");
  }

  private void addProducer(String producer, double failures, long eventTime) {
    latest.add(
        Metric.PRODUCER_FAILURES.point(
            Records.RUN, 1, failures, eventTime, Map.of(Metric.PRODUCER_LABEL, producer)));
  }

  private static List<String> failures(PrometheusMeterRegistry registry) {
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith("p3o_rollout_producer_failures_records{"))
        .map(line -> line.split("\"")[1])
        .toList();
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
