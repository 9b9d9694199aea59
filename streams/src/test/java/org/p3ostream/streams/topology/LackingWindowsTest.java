package org.p3ostream.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.serialization.Serdes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.StepKind;
import org.p3ostream.streams.state.PartitionFigures;
import org.slf4j.LoggerFactory;

/** Windows of one group each: that of step n is group n, record 2@n. */
class LackingWindowsTest {
  private final Logger logger = (Logger) LoggerFactory.getLogger(LackingWindows.class);
  private final ListAppender<ILoggingEvent> appender = new ListAppender<>();
  private final OutstandingRollouts outstanding =
      new OutstandingRollouts(
          StoreUnderTest.of("records", new CoordinateSerde(), new JsonSerde<>(RolloutFact.class)),
          StoreUnderTest.of(
              "partitions", Serdes.Integer(), new JsonSerde<>(PartitionFigures.class)),
          10);
  private final LackingWindows lacking = new LackingWindows();

  @BeforeEach
  void listen() {
    appender.start();
    logger.addAppender(appender);
  }

  @AfterEach
  void listenNoMore() {
    logger.detachAppender(appender);
  }

  @Test
  void oneWindowIsNamedWithWhatItLacks() {
    settle(0, RolloutFact.unreadable(new Coordinate(2, 0), 0));
    settle(1, null);
    settle(2, RolloutFact.unreadable(new Coordinate(2, 2), 0));

    assertThat(lines())
        .containsExactly(
            "Step 1 gets no reward and no figures by task: the record of group 1, rollouts 2@1,"
                + " was not seen: nothing came for long, and of its partition nothing beyond offset"
                + " -1");
  }

  @Test
  void ofARowOfWindowsBeginAndEndAreSaid() {
    for (long step = 5; step < 1_000; step++) {
      settle(step, null);
    }
    settle(1_000, RolloutFact.unreadable(new Coordinate(2, 1_000), 0));

    assertThat(lines())
        .satisfiesExactly(
            begin -> assertThat(begin).startsWith("Step 5 gets no reward"),
            end ->
                assertThat(end)
                    .isEqualTo(
                        "995 steps in a row got no reward and no figures by task; step 1000 has"
                            + " them again"));
  }

  @Test
  void aRecordThatIsNotHeldAlthoughItWasSeenIsToldFromOneThatNeverCame() {
    outstanding.arrived(RolloutFact.unreadable(new Coordinate(2, 7), 0));

    settle(3, null);

    assertThat(lines())
        .singleElement()
        .asString()
        .endsWith("is not held, although its partition was seen up to offset 7");
  }

  private void settle(long step, @Nullable RolloutFact record) {
    LedgerFact event =
        new LedgerFact(
            step,
            StepKind.STEP,
            step,
            step,
            List.of(new LedgerFact.TrainedGroup(new Coordinate(2, step), step, 0)),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            List.of(),
            null,
            0,
            0);
    lacking.settled(event, Arrays.asList(record), outstanding);
  }

  private List<String> lines() {
    return appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }
}
