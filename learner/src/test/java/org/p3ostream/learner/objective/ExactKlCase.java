package org.p3ostream.learner.objective;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

/**
 * A step of P3O with the full-vocabulary KL as an independent float64 implementation gives it, from
 * the logits of policy and behaviour at every token.
 */
public final class ExactKlCase {
  private final JsonNode node;

  private ExactKlCase(JsonNode node) {
    this.node = node;
  }

  public static List<ExactKlCase> all() {
    return StreamSupport.stream(
            GoldenCase.resource("exact-kl.json").get("cases").spliterator(), false)
        .map(ExactKlCase::new)
        .toList();
  }

  public int length() {
    return node.get("tokens").size();
  }

  /** Vocabulary entries kept, over all tokens. */
  int keptTokens() {
    return IntStream.range(0, length()).map(t -> token(t).get("kept").size()).sum();
  }

  int vocabularyTokens() {
    return length() * policyLogits(0).length;
  }

  public double policyTemperature() {
    return node.get("policy_temperature").doubleValue();
  }

  public double behaviorTemperature() {
    return node.get("temperature").doubleValue();
  }

  /** [V] */
  public double[] policyLogits(int t) {
    return GoldenCase.doubles(token(t).get("policy_logits"));
  }

  /** [V] */
  public double[] behaviorLogits(int t) {
    return GoldenCase.doubles(token(t).get("behavior_logits"));
  }

  /** [V] */
  public boolean[] kept(int t) {
    boolean[] kept = new boolean[policyLogits(t).length];
    token(t).get("kept").forEach(v -> kept[v.intValue()] = true);
    return kept;
  }

  /** The token sampled. */
  public int sampled(int t) {
    return token(t).get("token").intValue();
  }

  public double expected(String figure) {
    return node.get(figure).doubleValue();
  }

  /** A figure of every token. */
  public double[] expectedEach(String figure) {
    return IntStream.range(0, length())
        .mapToDouble(t -> token(t).get(figure).doubleValue())
        .toArray();
  }

  /** Gradient of the loss of the step, [V]. */
  public double[] expectedLogitGradient(int t) {
    return GoldenCase.doubles(token(t).get("grad_policy_logits"));
  }

  public ExactKl exactKl(int t) {
    return ExactKl.of(
        policyLogits(t), policyTemperature(), behaviorLogits(t), behaviorTemperature(), kept(t));
  }

  /** Log-probs from the logits, which must be those of the resource, with the KL. */
  public TokenBatch tokens() {
    int length = length();
    double[] logprobs = new double[length];
    double[] behaviorLogprobs = new double[length];
    double[] exactKl = new double[length];
    boolean[] valid = new boolean[length];
    Arrays.fill(valid, true);
    for (int t = 0; t < length; t++) {
      logprobs[t] =
          Math.log(probabilities(policyLogits(t), policyTemperature(), kept(t))[sampled(t)]);
      behaviorLogprobs[t] =
          Math.log(probabilities(behaviorLogits(t), behaviorTemperature(), kept(t))[sampled(t)]);
      exactKl[t] = exactKl(t).value();
    }
    requireClose(logprobs, expectedEach("logprob"));
    requireClose(behaviorLogprobs, expectedEach("behavior_logprob"));
    return new TokenBatch(logprobs, behaviorLogprobs, expectedEach("advantage"), valid)
        .withExactKl(exactKl);
  }

  /** d log π_θ(sampled) / d logits = (1[v = sampled] − p_v) / T_θ, [V]. */
  double[] logprobGradient(int t) {
    double[] gradient = probabilities(policyLogits(t), policyTemperature(), kept(t));
    for (int v = 0; v < gradient.length; v++) {
      gradient[v] = ((v == sampled(t) ? 1 : 0) - gradient[v]) / policyTemperature();
    }
    return gradient;
  }

  @Override
  public String toString() {
    return "T %s, top-k %s, top-p %s, min-p %s"
        .formatted(
            node.get("temperature"), node.get("top_k"), node.get("top_p"), node.get("min_p"));
  }

  /** softmax(logits / temperature) over the kept tokens, the slow way, [V]. */
  private static double[] probabilities(double[] logits, double temperature, boolean[] kept) {
    double[] weights = new double[logits.length];
    for (int v = 0; v < logits.length; v++) {
      weights[v] = kept[v] ? Math.exp(logits[v] / temperature) : 0;
    }
    double sum = Arrays.stream(weights).sum();
    return Arrays.stream(weights).map(w -> w / sum).toArray();
  }

  private static void requireClose(double[] found, double[] expected) {
    for (int t = 0; t < found.length; t++) {
      if (!(Math.abs(found[t] - expected[t]) <= 1e-12)) {
        throw new AssertionError("log-prob " + found[t] + " instead of " + expected[t]);
      }
    }
  }

  private JsonNode token(int t) {
    return node.get("tokens").get(t);
  }
}
