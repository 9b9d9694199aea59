package org.p3ostream.streams.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StreamQueryTest {

  @Test
  void ofBeginsWithTheFirstStepWhenNothingIsAsked() {
    assertThat(StreamQuery.of(Map.of(), null).from()).isZero();
  }

  @Test
  void ofBeginsAfterTheLastEventSeenWhateverTheAddressSays() {
    assertThat(StreamQuery.of(Map.of("from", List.of("3")), "41").from()).isEqualTo(42);
  }

  @Test
  void ofTakesAnEmptyIdForNone() {
    assertThat(StreamQuery.of(Map.of("from", List.of("3")), "").from()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "x", "1.5", "9223372036854775807", " "})
  void ofThrowsNamingTheIdWhenItIsNoStep(String id) {
    assertThatThrownBy(() -> StreamQuery.of(Map.of(), id))
        .isInstanceOf(BadParameterException.class)
        .hasMessageContaining("Last-Event-ID: '" + id + "' must be a whole number");
  }

  @Test
  void ofThrowsWhenAParameterIsUnknownOrGivenTwice() {
    assertThatThrownBy(() -> StreamQuery.of(Map.of("limit", List.of("3")), null))
        .hasMessageContaining("limit: '3' is not known; known is from");
    assertThatThrownBy(() -> StreamQuery.of(Map.of("from", List.of("3", "4")), null))
        .hasMessageContaining("must be given once");
  }
}
