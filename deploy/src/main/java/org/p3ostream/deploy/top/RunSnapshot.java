package org.p3ostream.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * What the server knew of a run at one moment. An answer that it does not have is a missing node.
 *
 * @param atMillis when it was asked, milliseconds since the epoch
 * @param runId empty before the server has seen the run
 * @param notReady parts of the server that are not up yet, with the reason; empty if all are
 * @param run answer of {@code /api/runs}
 * @param alerts answer of {@code /api/alerts}
 * @param steps newest steps, oldest first, as {@code /api/steps} has them
 * @param producers answer of {@code /api/producers}
 * @param staleness answer of {@code /api/staleness}
 * @param latencies answer of {@code /api/latencies}
 * @param deadLetters answer of {@code /api/dead-letters}
 */
record RunSnapshot(
    long atMillis,
    String runId,
    List<String> notReady,
    JsonNode run,
    JsonNode alerts,
    List<JsonNode> steps,
    JsonNode producers,
    JsonNode staleness,
    JsonNode latencies,
    JsonNode deadLetters) {

  RunSnapshot {
    notReady = List.copyOf(notReady);
    steps = List.copyOf(steps);
  }
}
