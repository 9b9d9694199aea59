package org.p3ostream.deploy.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.runtime.ForkReport;
import org.p3ostream.learner.runtime.ForkSource;

/** What came of a fork, for scripts. */
public final class ForkJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ForkJson() {}

  /** The report on one line. */
  public static String of(RunConfig fork, ForkSource source, ForkReport report) {
    ObjectNode tree =
        JSON.createObjectNode()
            .put("runId", fork.id())
            .put("topicPrefix", fork.topicPrefix())
            .put("forkOf", source.runId())
            .put("sharedStep", report.sharedStep())
            .put("sharedVersion", report.sharedVersion());
    report.changes().forEach(tree.putArray("changes")::add);
    if (report.offPolicyFrom().isPresent()) {
      tree.put("offPolicyFrom", report.offPolicyFrom().getAsLong());
    } else {
      tree.putNull("offPolicyFrom");
    }
    tree.put("lastStep", report.lastStep())
        .put("sourceLastStep", report.sourceLastStep())
        .put("policyVersion", report.policyVersion())
        .put("weightsSha256", report.weightsSha256());
    try {
      return JSON.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }
}
