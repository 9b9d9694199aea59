package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepsQueryTest {

  @Test
  void ofTakesDefaultsWhenNothingIsGiven() {
    assertThat(StepsQuery.of(Map.of())).isEqualTo(new StepsQuery(0, 100));
  }

  @Test
  void ofTakesWhatIsGiven() {
    assertThat(StepsQuery.of(Map.of("from", List.of("7"), "limit", List.of("1000"))))
        .isEqualTo(new StepsQuery(7, 1000));
  }

  @ParameterizedTest
  @CsvSource({
    "from, -1",
    "from, 1.5",
    "from, ''",
    "from, 9223372036854775808",
    "limit, 0",
    "limit, 1001",
    "limit, many"
  })
  void ofThrowsWhenAValueBreaksItsRule(String name, String value) {
    assertThatThrownBy(() -> StepsQuery.of(Map.of(name, List.of(value))))
        .isInstanceOf(BadParameterException.class)
        .hasMessageStartingWith(name + ": '" + value + "' must be a whole number in [");
  }

  @Test
  void ofThrowsWhenANameIsNotKnown() {
    assertThatThrownBy(() -> StepsQuery.of(Map.of("form", List.of("1"))))
        .hasMessage("form: '1' is not known; known are from and limit");
  }

  @Test
  void ofThrowsWhenANameIsGivenTwice() {
    assertThatThrownBy(() -> StepsQuery.of(Map.of("from", List.of("1", "2"))))
        .hasMessage("from: '1, 2' must be given once");
  }
}
