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

/**
 * A step with its losses as an independent float64 implementation gives them. A micro-batch is one
 * response; masked tokens hold NaN.
 */
public final class GoldenCase {

  private static final List<Objective> OBJECTIVES =
      List.of(
          new P3o(EssScope.STEP, KlMode.PROXY),
          new P3o(EssScope.STEP, KlMode.PROXY_SAFE),
          new P3o(EssScope.MICRO_BATCH, KlMode.PROXY),
          new P3o(EssScope.MICRO_BATCH, KlMode.PROXY_SAFE),
          new Grpo(0.2, 0.2),
          new Dapo(0.2, 0.28),
          new Cispo(0.2, 0.28),
          new Gspo(3e-4, 4e-4));

  private final JsonNode node;

  private GoldenCase(JsonNode node) {
    this.node = node;
  }

  /** All cases of the resource. */
  public static List<GoldenCase> all() {
    return StreamSupport.stream(resource("policy-losses.json").get("cases").spliterator(), false)
        .map(GoldenCase::new)
        .toList();
  }

  static JsonNode groupAdvantages() {
    return resource("policy-losses.json").get("group_advantages");
  }

  /** The objectives that the case has figures for. */
  public List<Objective> objectives() {
    List<Objective> covered =
        OBJECTIVES.stream().filter(o -> node.get("expected").has(name(o))).toList();
    if (covered.size() != node.get("expected").size()) {
      throw new AssertionError("figures of unknown objectives: " + node.get("expected"));
    }
    return covered;
  }

  /** The micro-batches of the step. */
  public List<TokenBatch> microBatches() {
    List<TokenBatch> batches = new ArrayList<>();
    for (JsonNode batch : node.get("micro_batches")) {
      batches.add(batch(batch, batches.size()));
    }
    return batches;
  }

  /** Of each micro-batch; that of a micro-batch without tokens has an ESS of 0. */
  public List<StepContext> contexts(Objective objective) {
    return contexts(objective, microBatches());
  }

  /** As {@link #contexts(Objective)}, for micro-batches with other log-probs. */
  public static List<StepContext> contexts(Objective objective, List<TokenBatch> microBatches) {
    RatioStatistics step =
        microBatches.stream()
            .map(GoldenCase::ratios)
            .reduce(RatioStatistics.EMPTY, RatioStatistics::merge);
    boolean perMicroBatch = objective instanceof P3o p3o && p3o.essScope() == EssScope.MICRO_BATCH;
    return microBatches.stream()
        .map(batch -> perMicroBatch ? ratios(batch) : step)
        .map(ratios -> new StepContext(ratios.normalizedEss(), step.tokenCount()))
        .toList();
  }

  static RatioStatistics ratios(TokenBatch batch) {
    return RatioStatistics.of(batch.logRatios(), batch.validMask());
  }

  public double expected(Objective objective, String figure) {
    return figures(objective).get(figure).doubleValue();
  }

  boolean has(Objective objective, String figure) {
    return figures(objective).has(figure);
  }

  /** A figure per token of the step or per micro-batch; NaN for null. */
  public double[] expectedEach(Objective objective, String figure) {
    return doubles(figures(objective).get(figure));
  }

  @Override
  public String toString() {
    return node.get("name").textValue();
  }

  static double[] doubles(JsonNode array) {
    double[] values = new double[array.size()];
    Arrays.setAll(values, i -> array.get(i).isNull() ? Double.NaN : array.get(i).doubleValue());
    return values;
  }

  static JsonNode resource(String name) {
    try (InputStream stream = GoldenCase.class.getResourceAsStream(name)) {
      return new ObjectMapper().readTree(stream);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode figures(Objective objective) {
    return node.get("expected").get(name(objective));
  }

  /** Its name in the resource. */
  private static String name(Objective objective) {
    return objective instanceof P3o ? objective.id().replace('-', '_') : objective.id();
  }

  private static TokenBatch batch(JsonNode tokens, int sequence) {
    int count = tokens.size();
    double[] logprobs = new double[count];
    double[] behaviorLogprobs = new double[count];
    double[] advantages = new double[count];
    boolean[] valid = new boolean[count];
    int[] sequences = new int[count];
    for (int t = 0; t < count; t++) {
      JsonNode token = tokens.get(t);
      valid[t] = token.get("mask").intValue() == 1;
      logprobs[t] = valid[t] ? token.get("logprob").doubleValue() : Double.NaN;
      behaviorLogprobs[t] = valid[t] ? token.get("behavior_logprob").doubleValue() : Double.NaN;
      advantages[t] = valid[t] ? token.get("advantage").doubleValue() : Double.NaN;
      sequences[t] = sequence;
    }
    return new TokenBatch(logprobs, behaviorLogprobs, advantages, valid).withSequences(sequences);
  }
}
