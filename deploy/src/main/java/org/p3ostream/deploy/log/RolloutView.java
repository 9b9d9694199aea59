package org.p3ostream.deploy.log;

import java.util.LongSummaryStatistics;
import org.jspecify.annotations.Nullable;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.avro.VersionSegment;

/**
 * A rollout group with what the other topics know about it.
 *
 * @param entry where it stands
 * @param task the prompt it answers; null if it was not found
 */
record RolloutView(LogEntry entry, RolloutGroup group, @Nullable PromptTask task, Fate fate) {

  /** Policy versions that sampled its tokens; without a minimum if there are none. */
  LongSummaryStatistics policyVersions() {
    LongSummaryStatistics versions = new LongSummaryStatistics();
    for (Response response : group.getResponses()) {
      for (VersionSegment segment : response.getVersionSegments()) {
        versions.accept(segment.getPolicyVersion());
      }
    }
    return versions;
  }

  /** Mean behaviour log-prob of a response's own tokens, nats; NaN if it has none. */
  static double meanLogprob(Response response) {
    double sum = 0;
    int tokens = 0;
    for (int t = 0; t < response.getBehaviorLogprobs().size(); t++) {
      boolean own =
          t >= response.getBehaviorLogprobMask().size() || response.getBehaviorLogprobMask().get(t);
      if (own) {
        sum += response.getBehaviorLogprobs().get(t);
        tokens++;
      }
    }
    return tokens == 0 ? Double.NaN : sum / tokens;
  }
}
