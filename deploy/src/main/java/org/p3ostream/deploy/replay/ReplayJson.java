package org.p3ostream.deploy.replay;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.p3ostream.learner.checkpoint.CheckpointInventory.PassedOver;
import org.p3ostream.learner.runtime.Difference;
import org.p3ostream.learner.runtime.ReplayReport;
import org.p3ostream.learner.runtime.ReplayedStep;

/** A replay for scripts. */
public final class ReplayJson {
  private static final ObjectMapper JSON = new ObjectMapper();

  private ReplayJson() {}

  /** The report on one line. */
  public static String of(ReplayReport report) {
    ObjectNode tree = JSON.createObjectNode();
    tree.put("ok", report.isOk())
        .put("from", report.from())
        .put("to", report.to())
        .put("start", report.start())
        .put("executedBefore", report.executedBefore())
        .put("identical", report.identical())
        .put("failure", report.failure())
        .put("millis", report.millis());
    ArrayNode passedOver = tree.putArray("checkpointsPassedOver");
    for (PassedOver other : report.passedOver()) {
      passedOver
          .addObject()
          .put("path", other.path().toString())
          .put("reason", other.reason())
          .put("damaged", other.damaged());
    }
    ArrayNode steps = tree.putArray("steps");
    report.steps().forEach(step -> steps.add(step(step)));
    try {
      return JSON.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ObjectNode step(ReplayedStep step) {
    ObjectNode tree =
        JSON.createObjectNode()
            .put("step", step.step())
            .put("trained", step.trained())
            .put("policyVersion", step.policyVersion())
            .put("weightsSha256", step.weightsSha256())
            .put("identical", step.isIdentical());
    ArrayNode differences = tree.putArray("differences");
    for (Difference difference : step.differences()) {
      differences
          .addObject()
          .put("what", difference.what())
          .put("recorded", difference.recorded())
          .put("found", difference.found());
    }
    return tree;
  }
}
