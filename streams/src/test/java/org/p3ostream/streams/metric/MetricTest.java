package org.p3ostream.streams.metric;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MetricTest {

  @ParameterizedTest
  @EnumSource(Metric.class)
  void namedFindsEveryMetricByItsName(Metric metric) {
    assertThat(Metric.named(metric.metricName())).contains(metric);
  }

  @ParameterizedTest
  @EnumSource(Metric.class)
  void everyMetricSaysWhatItIs(Metric metric) {
    assertThat(metric.formula()).isNotBlank();
    assertThat(metric.unit())
        .isIn(
            "1",
            "versions",
            "records",
            "windows",
            "seconds",
            "tokens",
            "groups_per_second",
            "tokens_per_second");
    assertThat(metric.metricName()).matches("(train|rollout)(/[a-z0-9]+)?/[a-z0-9_]+");
  }

  @Test
  void namedIsEmptyWhenNobodyHasTheName() {
    assertThat(Metric.named("train/unheard_of")).isEmpty();
  }

  @Test
  void meterNameHasDotsForSlashes() {
    assertThat(Metric.NORMALIZED_ESS.meterName()).isEqualTo("p3o.train.p3o.normalized_ess");
  }
}
