package org.p3ostream.streams.server;

import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.p3ostream.streams.live.GroupIndex.TrainedGroup;
import org.p3ostream.streams.live.RunOrigin;
import org.p3ostream.streams.live.StepLog;
import org.p3ostream.streams.lookup.NoRatiosException;
import org.p3ostream.streams.server.BoundedWorker.Answer;

/**
 * {@code GET /api/groups?step=}: the groups of a step as the ledger names them; {@code GET
 * /api/groups/{id}}: one of them, read from the log; {@code GET /api/groups/{id}/ratios}: the
 * ratios of its tokens.
 */
final class GroupsHandler {

  /** Groups of a step. */
  record StepGroups(String runId, long step, List<TrainedGroup> groups) {}

  private final StepLog steps;
  private final String topicPrefix;
  private final RecordSource records;
  private final BoundedWorker reads;

  GroupsHandler(StepLog steps, String topicPrefix, RecordSource records, BoundedWorker reads) {
    this.steps = steps;
    this.topicPrefix = topicPrefix;
    this.records = records;
    this.reads = reads;
  }

  void list(RoutingContext context) {
    try {
      long step = askedStep(Parameters.byName(context.queryParams()));
      Optional<List<TrainedGroup>> groups = steps.groups().ofStep(step);
      if (groups.isPresent()) {
        Json.answer(context, 200, new StepGroups(steps.runId(), step, groups.get()));
      } else {
        Json.answer(context, 404, new Json.Reason("step " + step + " is not held here"));
      }
    } catch (BadParameterException e) {
      Json.refuse(context, e);
    }
  }

  void one(RoutingContext context) {
    withGroup(
        context,
        at ->
            records
                .group(rolloutsPrefix(), at)
                .map(group -> Answer.json(200, group))
                .orElseGet(
                    () ->
                        Answer.json(
                            404,
                            new Json.Reason(
                                "group " + at.groupId() + " is no longer in the log"))));
  }

  void ratios(RoutingContext context) {
    withGroup(
        context,
        at -> {
          try {
            return Answer.json(200, records.ratios(at));
          } catch (NoRatiosException e) {
            return Answer.json(404, new Json.Reason(String.valueOf(e.getMessage())));
          }
        });
  }

  private void withGroup(RoutingContext context, Function<TrainedGroup, Answer> read) {
    try {
      Parameters.requireNone(context.queryParams());
      long id = Parameters.whole("id", context.pathParam("id"), 0, Long.MAX_VALUE);
      Optional<TrainedGroup> at = steps.groups().find(id);
      if (at.isEmpty()) {
        Json.answer(
            context, 404, new Json.Reason("no step that is held here has trained group " + id));
        return;
      }
      reads.answer(context, () -> read.apply(at.get()));
    } catch (BadParameterException e) {
      Json.refuse(context, e);
    }
  }

  /** The windows of a fork lie in the rollouts of the run that it is a fork of. */
  private String rolloutsPrefix() {
    RunOrigin origin = steps.origin();
    return origin == null || origin.forkOf() == null ? topicPrefix : origin.forkOf().topicPrefix();
  }

  private long askedStep(Map<String, List<String>> parameters) {
    @Nullable Long step = null;
    for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      String value = Parameters.only(name, parameter.getValue());
      if (!name.equals("step")) {
        throw new BadParameterException(name, value, "is not known; known is step");
      }
      step = Parameters.whole(name, value, 0, Long.MAX_VALUE);
    }
    return step == null ? steps.newestStep() : step;
  }
}
