package org.p3ostream.rolloutproducer.backlog;

import java.util.Optional;
import org.apache.kafka.common.TopicPartition;

/**
 * Where a prompt lies.
 *
 * @param partition partition of the prompts topic
 * @param offset its offset
 * @param leaderEpoch epoch the broker gave with it, to be committed with the offset
 */
public record PromptPosition(TopicPartition partition, long offset, Optional<Integer> leaderEpoch) {

  @Override
  public String toString() {
    return partition + "@" + offset;
  }
}
