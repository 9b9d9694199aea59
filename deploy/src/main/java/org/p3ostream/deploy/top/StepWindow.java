package org.p3ostream.deploy.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Figures over the newest steps. NaN is a figure that there is not. */
final class StepWindow {

  private static final int RECENT = 20;

  private final List<JsonNode> steps;

  /**
   * @param steps oldest first, as {@code /api/steps} has them
   */
  StepWindow(List<JsonNode> steps) {
    this.steps = steps;
  }

  boolean isEmpty() {
    return steps.isEmpty();
  }

  /** The newest step; null if there is none. */
  @Nullable JsonNode newest() {
    return steps.isEmpty() ? null : steps.get(steps.size() - 1);
  }

  /** Newest value of what the learner reports of a step, of the last one that trained. */
  double last(String name) {
    double[] values = values(name);
    return values.length == 0 ? Double.NaN : values[values.length - 1];
  }

  /** Values of what the learner reports of the steps that trained, oldest first, [steps]. */
  double[] values(String name) {
    return steps.stream()
        .map(step -> step.path("training").path(name))
        .filter(JsonNode::isNumber)
        .mapToDouble(JsonNode::asDouble)
        .toArray();
  }

  /** Mean over the newest {@code count}. */
  double mean(String name, int count) {
    double[] values = values(name);
    return Arrays.stream(values)
        .skip(Math.max(0, values.length - count))
        .average()
        .orElse(Double.NaN);
  }

  /** Median over the recent steps of the duration of a phase, ms. */
  double phaseMillis(String name) {
    return median(recent().map(step -> step.path("phases").path(name)));
  }

  /** Median over the recent steps of the time from one commit to the next, s. */
  double stepSeconds() {
    return median(recent().map(step -> step.path("stepMillis"))) / 1e3;
  }

  /** Tokens trained per second, over the recent steps; those after a pause do not stand out. */
  double tokensPerSecond() {
    return median(recent().map(step -> step.path("training").path("validTokens"))) / stepSeconds();
  }

  /** Time since the newest commit, s. */
  double secondsSinceLast(long nowMillis) {
    JsonNode last = newest();
    return last == null ? Double.NaN : (nowMillis - last.path("committedAt").asLong()) / 1e3;
  }

  private Stream<JsonNode> recent() {
    return steps.stream().skip(Math.max(0, steps.size() - RECENT));
  }

  private static double median(Stream<JsonNode> nodes) {
    double[] sorted =
        nodes.filter(JsonNode::isNumber).mapToDouble(JsonNode::asDouble).sorted().toArray();
    return sorted.length == 0 ? Double.NaN : sorted[sorted.length / 2];
  }
}
