package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class LastMetricsTest {

  private final List<String> notices = new ArrayList<>();
  private final AtomicInteger kept = new AtomicInteger();

  @Test
  void awaitReturnsOnceAllAreThereAndKeepsUpWhatWritesThemMeanwhile() throws Exception {
    metrics(() -> kept.get() == 2, Duration.ofMinutes(1)).await(kept::incrementAndGet);
    assertThat(kept).hasValue(2);
    assertThat(notices).isEmpty();
  }

  @Test
  void awaitGivesUpAndSaysHowToGoOn() throws Exception {
    metrics(() -> false, Duration.ZERO).await(kept::incrementAndGet);
    assertThat(notices)
        .singleElement()
        .asString()
        .contains("not all there after 0 s", "--resume, with as many steps");
  }

  private LastMetrics metrics(BooleanSupplier complete, Duration patience) {
    return new LastMetrics(complete, () -> {}, patience, notices::add);
  }
}
