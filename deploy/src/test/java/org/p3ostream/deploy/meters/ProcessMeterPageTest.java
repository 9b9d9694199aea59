package org.p3ostream.deploy.meters;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.runtime.ProducerStatus;

/** The page on metrics, the enum and what is served say the same. */
class ProcessMeterPageTest {

  private static final Path PAGE = Path.of("../docs/metrics.md");

  @Test
  void pageHasOneRowPerMeterInTheirOrder() throws IOException {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.matches("\\| `p3o_(learner|producer)_.*"))
            .toList();

    assertThat(rows)
        .isEqualTo(Arrays.stream(ProcessMeter.values()).map(ProcessMeterPageTest::row).toList());
  }

  @Test
  void rolesServeEveryMeterUnderTheNameThatItGives() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new LearnerMeters(registry);
    new ProducerMeters(registry, () -> new ProducerStatus(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, ""));

    Set<String> served =
        registry
            .scrape()
            .lines()
            .filter(line -> line.startsWith("# TYPE "))
            .map(line -> line.split(" ")[2])
            .filter(name -> !name.endsWith("_max")) // of a timer
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(served)
        .containsExactlyElementsOf(
            Arrays.stream(ProcessMeter.values())
                .map(ProcessMeter::prometheusName)
                .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static String row(ProcessMeter meter) {
    return "| `%s` | %s | %s | %s | %s |"
        .formatted(
            meter.prometheusName(),
            meter.type(),
            meter.unit(),
            meter.label() == null ? "" : "`" + meter.label() + "`",
            meter.description());
  }
}
