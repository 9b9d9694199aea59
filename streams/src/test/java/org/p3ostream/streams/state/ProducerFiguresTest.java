package org.p3ostream.streams.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ProducerFiguresTest {
  private static final long START = 1_700_000_000_000L;

  @Test
  void rateIsOverTheLastMinute() {
    ProducerFigures figures = ProducerFigures.NONE;
    for (int second = 0; second < 300; second++) {
      figures = figures.published(8, 100, false, START + second * 1000L);
    }

    ProducerFigures.Rate rate = figures.rate(START + 300_000);

    assertThat(rate.groupsPerSecond()).isEqualTo(1.0);
    assertThat(rate.tokensPerSecond()).isEqualTo(100.0);
    assertThat(figures.groups()).isEqualTo(300);
    assertThat(figures.tokens()).isEqualTo(30_000);
  }

  @Test
  void rateFallsToZeroWhenTheRunGoesOnWithoutIt() {
    ProducerFigures figures = ProducerFigures.NONE.published(8, 100, false, START);

    assertThat(figures.rate(START + 70_000).groupsPerSecond()).isZero();
  }

  @Test
  void rateOfABeginnerIsOverTheTimeSinceItBegan() {
    ProducerFigures figures = ProducerFigures.NONE;
    for (int second = 0; second <= 20; second++) {
      figures = figures.published(8, 100, false, START + second * 1000L);
    }

    assertThat(figures.rate(START + 20_000).groupsPerSecond()).isEqualTo(21 / 20.0);
  }

  @Test
  void figuresDoNotDependOnTheOrderOfTheRecords() {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      times.add(START + i * 777L);
    }
    ProducerFigures inOrder = of(times);
    for (long seed = 0; seed < 20; seed++) {
      Collections.shuffle(times, new Random(seed));
      assertThat(of(times)).as("seed %d", seed).isEqualTo(inOrder);
    }
    assertThat(inOrder.buckets()).hasSize(ProducerFigures.BUCKETS);
  }

  @Test
  void trainedIsOfTheNewestTwoBlocks() {
    ProducerFigures figures =
        ProducerFigures.NONE
            .trained(new TrainedFigures(0, 10, 90, 9, 1, 1))
            .trained(new TrainedFigures(1, 10, 20, 3, 1, 1))
            .trained(new TrainedFigures(2, 10, 10, 1, 1, 0));

    assertThat(figures.lately(2)).isEqualTo(new TrainedFigures(2, 20, 30, 3, 2, 1));
    assertThat(figures.lately(3)).isEqualTo(new TrainedFigures(2, 10, 10, 1, 1, 0));
    assertThat(figures.lately(4)).isNull();
  }

  @Test
  void trainedLeavesOutABlockInWhichNothingWas() {
    ProducerFigures figures =
        ProducerFigures.NONE
            .trained(new TrainedFigures(0, 10, 90, 9, 1, 1))
            .trained(new TrainedFigures(2, 10, 10, 1, 1, 0));

    assertThat(figures.lately(2)).isEqualTo(new TrainedFigures(2, 10, 10, 1, 1, 0));
  }

  private static ProducerFigures of(List<Long> times) {
    ProducerFigures figures = ProducerFigures.NONE;
    for (long time : times) {
      figures = figures.published(1, 3, time % 10 == 0, time);
    }
    return figures;
  }
}
