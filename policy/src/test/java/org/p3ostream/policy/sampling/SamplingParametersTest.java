package org.p3ostream.policy.sampling;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SamplingParametersTest {

  @ParameterizedTest
  @CsvSource({
    "0,    0,  1,    0, 1, temperature: 0.0",
    "NaN,  0,  1,    0, 1, temperature: NaN",
    "Infinity, 0, 1,  0, 1, temperature: Infinity",
    "1,   -1,  1,    0, 1, topK: -1",
    "1,    0,  0,    0, 1, topP: 0.0",
    "1,    0,  1.1,  0, 1, topP: 1.1",
    "1,    0,  NaN,  0, 1, topP: NaN",
    "1,    0,  1,   -0.1, 1, minP: -0.1",
    "1,    0,  1,    1, 1, minP: 1.0",
    "1,    0,  1,    NaN, 1, minP: NaN",
    "1,    0,  1,    0, 0, maxResponseTokens: 0",
  })
  void constructorNamesTheValueThatIsOutOfRange(
      double temperature,
      int topK,
      double topP,
      double minP,
      int maxResponseTokens,
      String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new SamplingParameters(temperature, topK, topP, minP, maxResponseTokens))
        .withMessageContaining(message);
  }
}
