package org.p3ostream.streams.topology;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.VersionSegment;
import org.p3ostream.streams.state.TaskFigures;

/**
 * A record became visible in {@code rollouts}, readable or not. Nothing in a record that breaks the
 * contract of rollouts is trusted: lists may differ in length, segments may be out of order.
 *
 * @param at where
 * @param sentAt when it was sent; in the store of outstanding records the time of its partition,
 *     which never goes back
 * @param eventTime end of generation, see {@link EventTime}
 * @param producer who sampled it; null for a record that cannot be read or is of another run
 * @param failed whether the producer gave the group up
 * @param task name of its data set
 * @param figures the group as part of a window, finite rewards or not
 * @param tokensByVersion valid tokens by the policy version that sampled them
 */
record RolloutFact(
    Coordinate at,
    long sentAt,
    long eventTime,
    @Nullable String producer,
    boolean failed,
    String task,
    TaskFigures figures,
    SortedMap<Long, Long> tokensByVersion)
    implements Fact {
  /** Longest name of a producer or task that is told apart, characters. */
  static final int MAX_NAME = 100;

  /** Task of a prompt whose id names no data set. */
  static final String NO_TASK = "unnamed";

  static RolloutFact of(Coordinate at, long sentAt, RolloutGroup group) {
    long tokens = 0;
    long responses = 0;
    long truncated = 0;
    double rewardSum = 0;
    SortedMap<String, Long> reasons = new TreeMap<>();
    SortedMap<Long, Long> tokensByVersion = new TreeMap<>();
    for (Response response : group.getResponses()) {
      reasons.merge(response.getFinishReason().name(), 1L, Long::sum);
      if (response.getFinishReason() == FinishReason.ABORTED) {
        continue;
      }
      responses++;
      tokens += response.getTokens().size();
      rewardSum += response.getReward();
      truncated += response.getFinishReason() == FinishReason.LENGTH ? 1 : 0;
      addValidTokens(response, tokensByVersion);
    }
    return new RolloutFact(
        at,
        sentAt,
        EventTime.of(group, sentAt),
        name(group.getProducerId()),
        group.getFailure() != null,
        task(group.getPromptId()),
        new TaskFigures(1, responses, rewardSum, tokens, truncated, reasons),
        tokensByVersion);
  }

  /** A record that is visible and no more. */
  static RolloutFact unreadable(Coordinate at, long sentAt) {
    return new RolloutFact(
        at, sentAt, sentAt, null, false, NO_TASK, TaskFigures.NONE, new TreeMap<>());
  }

  RolloutFact withSentAt(long time) {
    return new RolloutFact(at, time, eventTime, producer, failed, task, figures, tokensByVersion);
  }

  private static void addValidTokens(Response response, SortedMap<Long, Long> tokensByVersion) {
    List<Boolean> inLoss = response.getLossMask();
    List<Boolean> known = response.getBehaviorLogprobMask();
    List<VersionSegment> segments = response.getVersionSegments();
    long version = response.getPolicyVersion();
    int next = 0;
    int tokens = Math.min(response.getTokens().size(), Math.min(inLoss.size(), known.size()));
    for (int t = 0; t < tokens; t++) {
      while (next < segments.size() && segments.get(next).getFromToken() <= t) {
        version = segments.get(next).getPolicyVersion();
        next++;
      }
      if (inLoss.get(t) && known.get(t)) {
        tokensByVersion.merge(version, 1L, Long::sum);
      }
    }
  }

  /** Prompt ids are the name of a data set, a colon and a line number. */
  private static String task(String promptId) {
    int colon = promptId.lastIndexOf(':');
    return colon <= 0 ? NO_TASK : name(promptId.substring(0, colon));
  }

  private static String name(String name) {
    return name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
  }
}
