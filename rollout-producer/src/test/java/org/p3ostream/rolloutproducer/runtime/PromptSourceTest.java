package org.p3ostream.rolloutproducer.runtime;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;
import org.p3ostream.rolloutproducer.PromptTasks;
import org.p3ostream.rolloutproducer.TaggedAvro;
import org.p3ostream.rolloutproducer.backlog.PromptBacklog;

/** What becomes of prompts is tested with the loop. */
class PromptSourceTest {

  /** As a real consumer of a broker that is away: it wraps what its listener throws. */
  private final MockConsumer<byte[], byte[]> consumer =
      new MockConsumer<>("earliest") {
        @Override
        public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
          try {
            rebalance(List.of(LoopHarness.prompts(0)));
          } catch (UnavailableException e) {
            throw new KafkaException("User rebalance callback throws an error", e);
          }
          return super.poll(timeout);
        }

        @Override
        public synchronized Map<TopicPartition, OffsetAndMetadata> committed(
            Set<TopicPartition> partitions) {
          throw new TimeoutException("no answer");
        }
      };

  private final PromptSource prompts =
      new PromptSource(
          consumer,
          TaggedAvro.codec(),
          "prompts",
          PromptTasks.RUN,
          new PromptBacklog<>(),
          new Tally(),
          new Outage("the broker", 1_000),
          new SteppingClock(400));

  @Test
  void pollThrowsWhenTheBrokerStaysAwayWhilePartitionsAreAssigned() {
    prompts.join();

    assertThatThrownBy(() -> prompts.poll(Duration.ZERO))
        .isInstanceOf(UnavailableException.class)
        .hasMessage("the broker has failed for 1 s: no answer");
  }
}
