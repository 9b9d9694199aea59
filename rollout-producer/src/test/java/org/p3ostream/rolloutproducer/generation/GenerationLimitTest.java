package org.p3ostream.rolloutproducer.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class GenerationLimitTest {

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // such clocks may overflow

  @Test
  void isOverOnceTheTimeoutHasPassed() {
    GenerationLimit.Stopwatch watch = new GenerationLimit(Duration.ofNanos(10), nanos::get).start();
    nanos.addAndGet(9);
    assertThat(watch.isOver()).isFalse();
    nanos.addAndGet(1);
    assertThat(watch.isOver()).isTrue();
    assertThat(watch.elapsedMillis()).isEqualTo(1e-5);
  }

  @Test
  void isNeverOverWithoutATimeout() {
    GenerationLimit.Stopwatch watch = new GenerationLimit(Duration.ZERO, nanos::get).start();
    nanos.addAndGet(Duration.ofDays(1000).toNanos());
    assertThat(watch.isOver()).isFalse();
  }

  @Test
  void constructorRefusesANegativeTimeout() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> GenerationLimit.ofSeconds(-1))
        .withMessageContaining("PT-1S");
  }
}
