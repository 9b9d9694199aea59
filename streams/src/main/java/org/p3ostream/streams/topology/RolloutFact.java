package org.p3ostream.streams.topology;

import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;

/**
 * A record became visible in {@code rollouts}, readable or not.
 *
 * @param at where
 * @param responses number of responses; 0 for a record that holds none or cannot be read
 * @param rewardSum sum of their rewards
 */
record RolloutFact(Coordinate at, int responses, double rewardSum) implements Fact {

  static RolloutFact of(Coordinate at, RolloutGroup group) {
    double rewardSum = group.getResponses().stream().mapToDouble(Response::getReward).sum();
    return new RolloutFact(at, group.getResponses().size(), rewardSum);
  }

  static RolloutFact unreadable(Coordinate at) {
    return new RolloutFact(at, 0, 0);
  }
}
