package org.p3ostream.deploy.audit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.TreeMap;
import org.p3ostream.learner.audit.AuditReport;
import org.p3ostream.learner.audit.GroupHistory;
import org.p3ostream.learner.audit.VersionOrigin;

/** What an audit came to as one JSON object, in ASCII. */
public final class AuditJson {

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private AuditJson() {}

  /** The whole answer. */
  public static String text(AuditAnswer answer) {
    ObjectNode tree = tree(answer.report());
    VersionOrigin version = answer.version();
    GroupHistory group = answer.group();
    if (version != null) {
      tree.set("version", tree(version));
    }
    if (group != null) {
      tree.set("group", tree(group));
    }
    try {
      return JSON.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ObjectNode tree(AuditReport report) {
    AuditReport.Groups groups = report.groups();
    AuditReport.Records records = report.records();
    ObjectNode tree =
        JSON.createObjectNode()
            .put("ok", report.ok())
            .put("runId", report.runId())
            .put("topicPrefix", report.topicPrefix())
            .put("events", report.events())
            .put("steps", report.steps())
            .put("nextWindow", report.nextWindow())
            .put("policyVersion", report.policyVersion())
            .put("weightsSha256", report.weightsSha256())
            .put("groupsDispatched", groups.dispatched())
            .put("groupsTrained", groups.trained())
            .put("groupsPassed", groups.passed())
            .put("groupsGivenUp", groups.givenUp())
            .put("pending", groups.pending())
            .put("lost", report.lost())
            .put("duplicates", report.duplicates())
            .put("chainBreaks", report.chainBreaks())
            .put("rollouts", records.rollouts())
            .put("skipped", records.skipped())
            .put("waiting", records.waiting())
            .put("trimmed", records.trimmed())
            .put("prompts", records.prompts())
            .put("deadLetters", records.deadLetters())
            .put("snapshots", records.snapshots())
            .put("problemCount", report.problemCount());
    ObjectNode counts = tree.putObject("problemCounts");
    new TreeMap<>(report.problemCounts()).forEach((kind, count) -> counts.put(kind.name(), count));
    ArrayNode problems = tree.putArray("problems");
    report
        .problems()
        .forEach(
            problem ->
                problems
                    .addObject()
                    .put("kind", problem.kind().name())
                    .put("where", problem.where())
                    .put("what", problem.what()));
    return tree;
  }

  private static ObjectNode tree(VersionOrigin origin) {
    ObjectNode tree =
        JSON.createObjectNode().put("version", origin.version()).put("initial", origin.isInitial());
    ArrayNode groups = tree.putArray("groups");
    for (VersionOrigin.Trained group : origin.groups()) {
      groups
          .addObject()
          .put("step", group.step())
          .put("groupId", group.groupId())
          .put("attempt", group.attempt())
          .put("partition", group.partition())
          .put("offset", group.recordOffset())
          .put("sampledByVersion", group.sampledBy());
    }
    return tree;
  }

  private static ObjectNode tree(GroupHistory history) {
    ObjectNode tree = JSON.createObjectNode().put("groupId", history.groupId());
    ArrayNode happenings = tree.putArray("history");
    for (GroupHistory.Happening happening : history.happenings()) {
      happenings
          .addObject()
          .put("what", happening.what().name())
          .put("where", happening.where())
          .put("attempt", happening.attempt() < 0 ? null : happening.attempt())
          .put("detail", happening.detail());
    }
    return tree;
  }
}
