package org.p3ostream.rolloutproducer.backlog;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StartCountTest {

  @Test
  void fromMetadataReadsWhatToMetadataWrote() {
    assertThat(StartCount.fromMetadata(StartCount.toMetadata(2))).isEqualTo(2);
  }

  @Test
  void fromMetadataIsZeroWhenSomebodyElseWroteIt() {
    assertThat(StartCount.fromMetadata("")).isZero();
    assertThat(StartCount.fromMetadata("starts=many")).isZero();
    assertThat(StartCount.fromMetadata("starts=99999999999")).isZero();
  }
}
