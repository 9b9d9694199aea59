package org.p3ostream.deploy.progress;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.specific.SpecificRecord;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;

/**
 * Who generated how much.
 *
 * @param groupsByProducer groups by producer id
 * @param generatedTokens response tokens of all groups
 */
public record RolloutCensus(Map<String, Long> groupsByProducer, long generatedTokens) {

  private static final Duration POLL = Duration.ofMillis(500);

  public RolloutCensus {
    groupsByProducer = new TreeMap<>(groupsByProducer);
  }

  /** Counts all groups there are. */
  public static RolloutCensus read(LogFollower rollouts) {
    Map<String, Long> groups = new TreeMap<>();
    long tokens = 0;
    do {
      for (SpecificRecord record : rollouts.poll(POLL)) {
        if (record instanceof RolloutGroup group) {
          groups.merge(group.getProducerId(), 1L, Long::sum);
          tokens += responseTokens(group);
        }
      }
    } while (!rollouts.isAtEnd());
    return new RolloutCensus(groups, tokens);
  }

  /** All groups. */
  public long groups() {
    return groupsByProducer.values().stream().mapToLong(Long::longValue).sum();
  }

  private static long responseTokens(RolloutGroup group) {
    long tokens = 0;
    for (Response response : group.getResponses()) {
      tokens += response.getTokens().size();
    }
    return tokens;
  }
}
