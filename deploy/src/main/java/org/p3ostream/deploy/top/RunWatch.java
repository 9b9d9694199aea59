package org.p3ostream.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Keeps the newest steps of a run and asks for what has changed. For one thread. Another run may
 * come to stand at the same address, and under the same id: it is told by when it began, and by
 * having fewer steps.
 */
final class RunWatch {

  /** As many as the widest terminal has columns to draw. */
  private static final int STEPS_KEPT = 400;

  private static final int PAGE = 1_000;

  private final LiveApi api;
  private final Clock clock;
  private final Deque<JsonNode> steps = new ArrayDeque<>();
  private String runId = "";
  private long startedAt = -1; // milliseconds since the epoch; -1 while nobody knows

  RunWatch(LiveApi api, Clock clock) {
    this.api = api;
    this.clock = clock;
  }

  /**
   * What the server knows now.
   *
   * @throws IOException if it does not answer
   */
  RunSnapshot look() throws IOException, InterruptedException {
    JsonNode runs = api.required("/api/runs");
    forgetAnotherRun(runs.path("runs").path(0));
    readSteps();
    return new RunSnapshot(
        clock.millis(),
        runId,
        notReady(api.health()),
        runs,
        api.get("/api/alerts"),
        List.copyOf(steps),
        api.get("/api/producers"),
        api.get("/api/staleness"),
        api.get("/api/latencies"),
        api.get("/api/dead-letters"));
  }

  private void forgetAnotherRun(JsonNode run) {
    String name = run.path("runId").asText(runId);
    long start = run.path("startedAt").asLong(startedAt); // null until the ledger has been read
    long newest = run.path("newestStep").asLong(Long.MAX_VALUE);
    if (!name.equals(runId) || start != startedAt || newest < lastStep()) {
      steps.clear();
    }
    runId = name;
    startedAt = start;
  }

  private void readSteps() throws IOException, InterruptedException {
    JsonNode page = page(lastStep() + 1);
    take(page);
    while (page.path("nextFrom").isNumber()) {
      page = page(page.path("nextFrom").asLong());
      take(page);
    }
  }

  private JsonNode page(long from) throws IOException, InterruptedException {
    return api.get("/api/steps?from=" + from + "&limit=" + PAGE);
  }

  /** Newest step held; −1 if there is none. */
  private long lastStep() {
    return steps.isEmpty() ? -1 : steps.getLast().path("step").asLong();
  }

  private void take(JsonNode page) {
    for (JsonNode step : page.path("steps")) {
      steps.add(step);
      if (steps.size() > STEPS_KEPT) {
        steps.remove();
      }
    }
  }

  private static List<String> notReady(JsonNode health) {
    List<String> parts = new ArrayList<>();
    for (JsonNode check : health.path("checks")) {
      if (!check.path("status").asText().equals("UP")) {
        parts.add(
            check.path("id").asText() + ": " + check.path("data").path("detail").asText("not yet"));
      }
    }
    return parts;
  }
}
