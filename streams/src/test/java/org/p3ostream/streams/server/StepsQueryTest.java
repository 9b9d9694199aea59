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
    assertThat(StepsQuery.of(Map.of())).isEqualTo(new StepsQuery(0, Long.MAX_VALUE, 100, null));
  }

  @Test
  void ofTakesWhatIsGiven() {
    assertThat(StepsQuery.of(Map.of("from", List.of("7"), "limit", List.of("1000"))))
        .isEqualTo(new StepsQuery(7, Long.MAX_VALUE, 1000, null));
    assertThat(StepsQuery.of(Map.of("to", List.of("9"), "points", List.of("500"))))
        .isEqualTo(new StepsQuery(0, 9, 100, 500));
  }

  @ParameterizedTest
  @CsvSource({
    "from, -1",
    "from, 1.5",
    "from, ''",
    "from, 9223372036854775808",
    "limit, 0",
    "limit, 1001",
    "limit, many",
    "to, -1",
    "points, 19",
    "points, 5001"
  })
  void ofThrowsWhenAValueBreaksItsRule(String name, String value) {
    assertThatThrownBy(() -> StepsQuery.of(Map.of(name, List.of(value))))
        .isInstanceOf(BadParameterException.class)
        .hasMessageStartingWith(name + ": '" + value + "' must be a whole number in [");
  }

  @Test
  void ofThrowsWhenANameIsNotKnown() {
    assertThatThrownBy(() -> StepsQuery.of(Map.of("form", List.of("1"))))
        .hasMessage("form: '1' is not known; known are from, to, limit and points");
  }

  @Test
  void ofThrowsWhenThePageAndTheColumnsAreAskedForOrTheRangeIsEmpty() {
    assertThatThrownBy(() -> StepsQuery.of(Map.of("limit", List.of("5"), "points", List.of("500"))))
        .hasMessage("limit: '5' is of pages; points asks for columns");
    assertThatThrownBy(() -> StepsQuery.of(Map.of("from", List.of("5"), "to", List.of("4"))))
        .hasMessage("to: '4' must be >= from (5)");
  }

  @Test
  void ofThrowsWhenANameIsGivenTwice() {
    assertThatThrownBy(() -> StepsQuery.of(Map.of("from", List.of("1", "2"))))
        .hasMessage("from: '1, 2' must be given once");
  }
}
