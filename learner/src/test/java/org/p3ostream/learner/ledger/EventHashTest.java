package org.p3ostream.learner.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EventHashTest {

  /** SHA-256 of "abc" is the first example of FIPS 180-2. */
  @Test
  void ofHashesTheBodyWithoutTheWireHeader() {
    String abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assertThat(EventHash.of(new byte[] {0, 0, 0, 0, 7, 'a', 'b', 'c'})).isEqualTo(abc);
    assertThat(EventHash.of(new byte[] {0, 9, 9, 9, 9, 'a', 'b', 'c'})).isEqualTo(abc);
  }

  @Test
  void ofRefusesWhatIsShorterThanAWireHeader() {
    assertThatThrownBy(() -> EventHash.of(new byte[4]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
