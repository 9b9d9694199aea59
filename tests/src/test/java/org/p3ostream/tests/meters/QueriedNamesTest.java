package org.p3ostream.tests.meters;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueriedNamesTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a_total{run=\"b\",role=~\"c.d\"}[1m] | a_total",
        "sum by (x, y) (rate(a[1m])) / scalar(sum(rate(b{k=\"v\"}[1m]))) | a,b",
        "time() - a > 120 | a",
        "rate(a[1m]) == 0 and on (run) rate(b{kind=\"step\"}[1m]) > 0 | a,b",
        "increase(a{reason!~\"x.y\"}[5m]) > 1e-3 | a",
        "sum(a) without (instance) or b | a,b"
      })
  void namesAreThoseOfMetricsAlone(String expression, String names) {
    assertThat(QueriedNames.in(expression)).containsExactlyElementsOf(List.of(names.split(",")));
  }
}
