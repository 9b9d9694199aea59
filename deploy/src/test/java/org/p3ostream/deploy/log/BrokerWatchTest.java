package org.p3ostream.deploy.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class BrokerWatchTest {

  private static final long SECOND = 1_000_000_000L;

  private final List<String> told = new ArrayList<>();
  private final BrokerWatch watch = new BrokerWatch(told::add, 0);
  private final AtomicInteger asked = new AtomicInteger();

  @Test
  void silentBrokerIsAskedAfterAWhileOnly() {
    watch.silent(4 * SECOND, asked::incrementAndGet);
    assertThat(asked).hasValue(0);
    watch.silent(6 * SECOND, asked::incrementAndGet);
    assertThat(asked).hasValue(1);
    watch.silent(7 * SECOND, asked::incrementAndGet); // it has answered a second ago
    assertThat(asked).hasValue(1);
    assertThat(told).isEmpty();
  }

  @Test
  void brokerThatGoesAndComesBackIsToldOnceEach() {
    watch.silent(6 * SECOND, BrokerWatchTest::noAnswer);
    watch.silent(10 * SECOND, BrokerWatchTest::noAnswer);
    assertThat(told).containsExactly("the broker does not answer; waiting for it");
    watch.silent(13 * SECOND, asked::incrementAndGet);
    assertThat(told).hasSize(2).endsWith("the broker answers again");
    watch.heard(14 * SECOND);
    assertThat(told).hasSize(2);
  }

  private static void noAnswer() {
    throw new TimeoutException("no answer");
  }
}
