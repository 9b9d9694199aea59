package org.p3ostream.rolloutproducer.reward;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpressionSizeTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "abc | 3",
        "a{3} | 3",
        "a{2,5} | 5",
        "a{4,} | 4",
        "a{0} | 1",
        "(ab){3}c | 10",
        "((a{3}b){2}c){2} | 24",
        "[a-z{9}]{3} | 3",
        "[]{9}]{3} | 3",
        "\\d{4}-\\d{2} | 7",
        "\\{9} | 3",
        "a{b} | 4",
      })
  void ofWritesRepetitionsOut(String expression, long size) {
    assertThat(ExpressionSize.of(expression, 1000)).isEqualTo(size);
  }

  @Test
  void ofStopsAboveTheLimit() {
    String nested = "(".repeat(20) + "a" + "{1000})".repeat(20);

    assertThat(ExpressionSize.of(nested, 1000)).isGreaterThan(1000);
  }
}
