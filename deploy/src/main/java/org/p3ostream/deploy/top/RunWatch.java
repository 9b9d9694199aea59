package org.p3ostream.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Keeps the newest steps of a run and asks for what has changed. For one thread. */
final class RunWatch {

  /** As many as the widest terminal has columns to draw. */
  private static final int STEPS_KEPT = 400;

  private static final int PAGE = 1_000;

  private final LiveApi api;
  private final Clock clock;
  private final Deque<JsonNode> steps = new ArrayDeque<>();
  private String runId = "";

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
    readSteps();
    return new RunSnapshot(
        clock.millis(),
        runId,
        notReady(api.health()),
        api.required("/api/runs"),
        api.get("/api/alerts"),
        List.copyOf(steps),
        api.get("/api/producers"),
        api.get("/api/staleness"),
        api.get("/api/latencies"),
        api.get("/api/dead-letters"));
  }

  private void readSteps() throws IOException, InterruptedException {
    long from = steps.isEmpty() ? 0 : steps.getLast().path("step").asLong() + 1;
    JsonNode page = api.get("/api/steps?from=" + from + "&limit=" + PAGE);
    if (isAnotherRun(page)) {
      steps.clear();
      page = api.get("/api/steps?from=0&limit=" + PAGE);
    }
    take(page);
    while (page.path("nextFrom").isNumber()) {
      page = api.get("/api/steps?from=" + page.path("nextFrom").asLong() + "&limit=" + PAGE);
      take(page);
    }
  }

  private boolean isAnotherRun(JsonNode page) {
    String name = page.path("runId").asText(runId);
    boolean another = !steps.isEmpty() && !name.equals(runId);
    runId = name;
    return another;
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
