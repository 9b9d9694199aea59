package org.p3ostream.streams.metric;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page on metrics says what the code does. */
class MetricsPageTest {

  private static final Path PAGE = Path.of("../docs/metrics.md");

  @Test
  void pageHasOneRowPerMetricInTheirOrder() throws IOException {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.matches("\\| `(train|rollout)/.*"))
            .toList();

    assertThat(rows).isEqualTo(Arrays.stream(Metric.values()).map(MetricsPageTest::row).toList());
  }

  private static String row(Metric metric) {
    return "| `%s` | %s | %s | %s |"
        .formatted(metric.metricName(), shownAs(metric), metric.unit(), metric.formula());
  }

  private static String shownAs(Metric metric) {
    return metric.labels() == MetricLabels.TOPIC_ONLY ? "–" : "`" + prometheusName(metric) + "`";
  }

  /** The name under which the registry exports the gauge. */
  private static String prometheusName(Metric metric) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Gauge.builder(metric.meterName(), () -> 1)
        .baseUnit(metric.unit().equals(Metric.Unit.ONE) ? null : metric.unit())
        .register(registry);
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith("# TYPE "))
        .map(line -> line.split(" ")[2])
        .findFirst()
        .orElseThrow();
  }
}
