package org.p3ostream.streams.server;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import org.p3ostream.streams.lookup.SnapshotLookup;
import org.p3ostream.streams.lookup.SnapshotView;
import org.p3ostream.streams.server.BoundedWorker.Answer;

/** {@code GET /api/snapshots?limit=}: manifests of the newest versions. */
final class SnapshotsHandler implements Handler<RoutingContext> {
  private static final int DEFAULT_LIMIT = 20;

  /** Snapshots, newest first. */
  record Snapshots(String runId, List<SnapshotView> snapshots) {}

  private final String runId;
  private final RecordSource records;
  private final BoundedWorker reads;

  SnapshotsHandler(String runId, RecordSource records, BoundedWorker reads) {
    this.runId = runId;
    this.records = records;
    this.reads = reads;
  }

  @Override
  public void handle(RoutingContext context) {
    try {
      int limit = limit(Parameters.byName(context.queryParams()));
      reads.answer(context, () -> Answer.json(200, new Snapshots(runId, records.snapshots(limit))));
    } catch (BadParameterException e) {
      Json.refuse(context, e);
    }
  }

  private static int limit(Map<String, List<String>> parameters) {
    int limit = DEFAULT_LIMIT;
    for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      String value = Parameters.only(name, parameter.getValue());
      if (!name.equals("limit")) {
        throw new BadParameterException(name, value, "is not known; known is limit");
      }
      limit = (int) Parameters.whole(name, value, 1, SnapshotLookup.MOST);
    }
    return limit;
  }
}
