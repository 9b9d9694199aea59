package org.p3ostream.learner.objective;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.StreamSupport;
import org.p3ostream.schemas.ratio.RatioStatistics;

/** A step with its losses as an independent float64 implementation gives them. */
public final class GoldenCase {

  private final JsonNode node;

  private GoldenCase(JsonNode node) {
    this.node = node;
  }

  /** All cases of the resource. */
  public static List<GoldenCase> all() {
    return StreamSupport.stream(resource().get("cases").spliterator(), false)
        .map(GoldenCase::new)
        .toList();
  }

  static JsonNode groupAdvantages() {
    return resource().get("groupAdvantages");
  }

  /** The whole step; masked tokens hold NaN. */
  public TokenBatch step() {
    List<JsonNode> tokens = new ArrayList<>();
    node.get("microBatches").forEach(batch -> batch.forEach(tokens::add));
    return batch(tokens);
  }

  /** The micro-batches of the step. */
  public List<TokenBatch> microBatches() {
    List<TokenBatch> batches = new ArrayList<>();
    for (JsonNode batch : node.get("microBatches")) {
      List<JsonNode> tokens = new ArrayList<>();
      batch.forEach(tokens::add);
      batches.add(batch(tokens));
    }
    return batches;
  }

  /** Statistics of the whole step. */
  public RatioStatistics ratios() {
    return RatioStatistics.of(step().logRatios(), step().validMask());
  }

  public StepContext context() {
    return new StepContext(ratios().normalizedEss(), ratios().tokenCount());
  }

  /** Whether the case has figures for an objective. */
  public boolean covers(Objective objective) {
    return node.get("expected").has(objective.id());
  }

  public double expected(Objective objective, String figure) {
    return node.get("expected").get(objective.id()).get(figure).doubleValue();
  }

  public double[] expectedPerToken(Objective objective, String figure) {
    return doubles(node.get("expected").get(objective.id()).get(figure));
  }

  @Override
  public String toString() {
    return node.get("name").textValue();
  }

  static double[] doubles(JsonNode array) {
    double[] values = new double[array.size()];
    Arrays.setAll(values, i -> array.get(i).doubleValue());
    return values;
  }

  private static TokenBatch batch(List<JsonNode> tokens) {
    int count = tokens.size();
    double[] logprobs = new double[count];
    double[] behaviorLogprobs = new double[count];
    double[] advantages = new double[count];
    boolean[] valid = new boolean[count];
    for (int t = 0; t < count; t++) {
      JsonNode token = tokens.get(t);
      valid[t] = token.get("valid").booleanValue();
      logprobs[t] = valid[t] ? token.get("logprob").doubleValue() : Double.NaN;
      behaviorLogprobs[t] = valid[t] ? token.get("behaviorLogprob").doubleValue() : Double.NaN;
      advantages[t] = valid[t] ? token.get("advantage").doubleValue() : Double.NaN;
    }
    return new TokenBatch(logprobs, behaviorLogprobs, advantages, valid);
  }

  private static JsonNode resource() {
    try (InputStream stream = GoldenCase.class.getResourceAsStream("golden-losses.json")) {
      return new ObjectMapper().readTree(stream);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
