package org.p3ostream.learner.objective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KlProxyTest {

  @Test
  void valueAndSlopeVanishWhenThePoliciesAgree() {
    assertThat(KlProxy.value(0)).isZero();
    assertThat(KlProxy.slope(0)).isZero();
  }

  @ParameterizedTest
  @ValueSource(doubles = {-10, -9.5, -1, 0.5, 3, 10})
  void valueIsK3UpToTheClamp(double logRatio) {
    double k3 = Math.exp(-logRatio) - 1 + logRatio;
    assertThat(KlProxy.value(logRatio)).isCloseTo(k3, within(1e-11));
    assertThat(KlProxy.slope(logRatio)).isEqualTo(1 - Math.exp(-logRatio));
  }

  @ParameterizedTest
  @ValueSource(doubles = {-10.5, -50, -500})
  void valueFallsAgainBelowTheClamp(double logRatio) {
    assertThat(KlProxy.value(logRatio)).isEqualTo(logRatio + Math.exp(10) - 1);
    assertThat(KlProxy.slope(logRatio)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {10.5, 50, 500})
  void valueGrowsWithTheLogRatioAboveTheClamp(double logRatio) {
    assertThat(KlProxy.value(logRatio)).isEqualTo(logRatio + Math.exp(-10) - 1);
    assertThat(KlProxy.slope(logRatio)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(doubles = {-300, -11, -9.9, -2, -0.1, 0.1, 2, 9.9, 11, 300})
  void slopeIsTheDerivativeOfValue(double logRatio) {
    double step = 1e-6;
    double difference =
        (KlProxy.value(logRatio + step) - KlProxy.value(logRatio - step)) / (2 * step);
    double slope = KlProxy.slope(logRatio);
    assertThat(slope).isCloseTo(difference, within(1e-6 * Math.max(1, Math.abs(slope))));
  }

  /** Right sign everywhere: descent moves log π_θ back to log π_b from either side. */
  @ParameterizedTest
  @ValueSource(doubles = {-500, -50, -10.5, -10, -1, -0.1, 0.1, 1, 10, 50, 500})
  void safeSlopeHasTheSignOfTheLogRatio(double logRatio) {
    assertThat(Math.signum(KlProxy.safeSlope(logRatio))).isEqualTo(Math.signum(logRatio));
    assertThat(KlProxy.safeSlope(logRatio)).isEqualTo(1 - Math.exp(Math.min(-logRatio, 10)));
  }

  @ParameterizedTest
  @ValueSource(doubles = {-10, -3, 0, 3, 10})
  void safeSlopeIsTheSlopeWithinTheClamp(double logRatio) {
    assertThat(KlProxy.safeSlope(logRatio)).isEqualTo(KlProxy.slope(logRatio));
  }
}
