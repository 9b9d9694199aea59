package org.p3ostream.learner.commit;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever is lost, late, broken or twice: every dispatched group has one end, and windows go on.
 */
class LossesTest {

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3})
  void everyGroupIsTrainedOnceOrGivenUpOnceUnderLossesAndRestarts(int maxTopUps) {
    for (long seed = 0; seed < 40; seed++) {
      new LossSimulation(seed, maxTopUps).run();
    }
  }
}
