package org.p3ostream.policy.model;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelConfigTest {

  @ParameterizedTest
  @CsvSource({
    "0, 4, 2, 6, 1e-6, 1e4, 1, 1, vocabSize: 0 must be >= 1",
    "9, 4, 3, 6, 1e-6, 1e4, 1, 1, keyValueHeads: 3 must divide attentionHeads 4",
    "9, 4, 2, 5, 1e-6, 1e4, 1, 1, headDim: 5 must be even",
    "9, 4, 2, 6, -1,   1e4, 1, 1, rmsNormEps: -1.0",
    "9, 4, 2, 6, 1e-6, 0,   1, 1, ropeTheta: 0.0",
    "9, 4, 2, 6, 1e-6, NaN, 1, 1, ropeTheta: NaN",
    "9, 4, 2, 6, 1e-6, 1e4, 9, 1, eosTokenId: 9",
    "9, 4, 2, 6, 1e-6, 1e4, 1, -1, padTokenId: -1",
  })
  void constructorNamesValueAndRule(
      int vocabSize,
      int heads,
      int keyValueHeads,
      int headDim,
      double eps,
      double theta,
      int eos,
      int pad,
      String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new ModelConfig(
                    vocabSize,
                    8,
                    8,
                    1,
                    heads,
                    keyValueHeads,
                    headDim,
                    eps,
                    theta,
                    true,
                    16,
                    eos,
                    pad))
        .withMessageContaining(message);
  }
}
