package org.p3ostream.learner.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.Shape;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.loss.TorchObjective;
import org.p3ostream.learner.objective.EssScope;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.window.BehaviorSampling;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.ratio.RatioStatistics;

/** The distributions by the tensor engine, against figures of an independent oracle in float64. */
class TokenDistributionsTest {

  private static NDManager manager;
  private static TokenDistributions distributions;

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    manager = TorchRuntime.newManager(Device.cpu());
    distributions = new TokenDistributions(manager);
  }

  @AfterAll
  static void stop() {
    distributions.close();
    manager.close();
  }

  static Stream<JsonNode> golden() throws IOException {
    try (InputStream resource =
        P3o.class.getResourceAsStream("/org/p3ostream/learner/objective/exact-kl.json")) {
      JsonNode cases = new ObjectMapper().readTree(resource).get("cases");
      return StreamSupport.stream(cases.spliterator(), false).toList().stream();
    }
  }

  /** Kept tokens, log-probs of both sides, KL, ESS, token losses, and the slope in the logits. */
  @ParameterizedTest
  @MethodSource("golden")
  void everyFigureOfTheOracleIsReproduced(JsonNode golden) {
    List<JsonNode> tokens = new ArrayList<>();
    golden.get("tokens").forEach(tokens::add);
    int count = tokens.size(); // N
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray logits = logits(tokens, "policy_logits"); // [N, V]
      logits.setRequiresGradient(true);
      NDArray targets = // [N]
          manager.create(tokens.stream().mapToLong(t -> t.get("token").asLong()).toArray());
      NDList behavior =
          distributions.behavior(logits(tokens, "behavior_logits"), targets, sampling(golden));
      assertThat(behavior.get(2).getLong()).isZero();
      assertKept(behavior.get(0), tokens);
      assertEach(behavior.get(1), tokens, "behavior_logprob");

      double temperature = golden.get("policy_temperature").asDouble();
      try (Autograd recording = Autograd.record()) {
        NDArray temperatures = // [N, 1]
            manager.create(
                tokens.stream().mapToDouble(token -> temperature).toArray(), new Shape(count, 1));
        NDArray policy = distributions.policy(logits, temperatures, behavior.get(0));
        NDArray logprobs = distributions.ofTargets(policy, targets);
        NDArray kl = distributions.kl(policy, behavior.get(0));
        assertEach(logprobs, tokens, "logprob");
        assertEach(kl, tokens, "exact_kl");
        MicroBatch batch = batch(tokens);
        double[] policyLogprobs = logprobs.toDoubleArray();
        double[] logRatios = new double[count];
        boolean[] all = new boolean[count];
        for (int n = 0; n < count; n++) {
          logRatios[n] = policyLogprobs[n] - batch.behaviorLogprobs[n];
          all[n] = true;
        }
        double ess = RatioStatistics.of(logRatios, all).normalizedEss();
        assertThat(ess).isCloseTo(golden.get("ess").asDouble(), within(1e-10));
        try (TorchObjective objective =
            new TorchObjective(
                manager, new P3o(EssScope.STEP, KlMode.EXACT), Regularization.NONE)) {
          NDArray losses =
              objective.tokenLosses(
                  new PolicyOutputs(logprobs, kl, null, null),
                  batch,
                  new StepContext(ess, count)); // [N]
          assertEach(losses, tokens, "token_loss");
          Autograd.backward(losses.sum());
        }
      }
      double[] slope = logits.getGradient().toDoubleArray(); // [N, V]
      int width = slope.length / count;
      for (int n = 0; n < count; n++) {
        for (int v = 0; v < width; v++) {
          assertThat(slope[n * width + v] / count)
              .isCloseTo(tokens.get(n).get("grad_policy_logits").get(v).asDouble(), within(1e-10));
        }
      }
    }
  }

  /** Top-1 keeps token 2; token 0 was sampled all the same. */
  @Test
  void behaviorKeepsTheSampledTokenAndCountsIt() {
    try (NDScope scope = new NDScope()) {
      scope.suppressNotUsedWarning();
      NDArray logits = manager.create(new double[] {0, -1, 1, 0, -1, 1}, new Shape(2, 3));
      NDArray targets = manager.create(new long[] {0, 2});
      NDList behavior =
          distributions.behavior(logits, targets, new BehaviorSampling(1, 1, 1, 0, null));
      double ofZero = -Math.log(1 + Math.E);
      assertThat(behavior.get(2).getLong()).isEqualTo(1);
      double[] logprobs = behavior.get(0).toDoubleArray();
      assertThat(logprobs[0]).isCloseTo(ofZero, within(1e-15));
      assertThat(logprobs[2]).isCloseTo(ofZero + 1, within(1e-15));
      assertThat(logprobs[1]).isEqualTo(Double.NEGATIVE_INFINITY);
      assertThat(logprobs).endsWith(Double.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY, 0);
      assertThat(behavior.get(1).toDoubleArray()).containsExactly(logprobs[0], 0);
    }
  }

  private static void assertKept(NDArray logprobs, List<JsonNode> tokens) {
    double[] values = logprobs.toDoubleArray(); // [N, V]
    int width = values.length / tokens.size();
    for (int n = 0; n < tokens.size(); n++) {
      List<Integer> kept = new ArrayList<>();
      for (int v = 0; v < width; v++) {
        if (values[n * width + v] > Double.NEGATIVE_INFINITY) {
          kept.add(v);
        }
      }
      List<Integer> expected = new ArrayList<>();
      tokens.get(n).get("kept").forEach(token -> expected.add(token.asInt()));
      assertThat(kept).as("token %d", n).isEqualTo(expected);
    }
  }

  private static void assertEach(NDArray actual, List<JsonNode> tokens, String figure) {
    double[] values = actual.toDoubleArray(); // [N]
    for (int n = 0; n < values.length; n++) {
      assertThat(values[n])
          .as("%s of token %d", figure, n)
          .isCloseTo(tokens.get(n).get(figure).asDouble(), within(1e-10));
    }
  }

  private static BehaviorSampling sampling(JsonNode golden) {
    return new BehaviorSampling(
        golden.get("temperature").asDouble(),
        golden.get("top_k").asInt(),
        golden.get("top_p").asDouble(),
        golden.get("min_p").asDouble(),
        null);
  }

  private static NDArray logits(List<JsonNode> tokens, String name) { // [N, V]
    double[] values =
        tokens.stream()
            .flatMapToDouble(
                token ->
                    StreamSupport.stream(token.get(name).spliterator(), false)
                        .mapToDouble(JsonNode::asDouble))
            .toArray();
    return manager.create(values, new Shape(tokens.size(), values.length / tokens.size()));
  }

  private static MicroBatch batch(List<JsonNode> tokens) {
    int count = tokens.size();
    return new MicroBatch(
        1,
        count,
        List.of(),
        List.of(),
        new long[count],
        new long[count],
        new long[count],
        new int[count],
        tokens.stream().mapToDouble(t -> t.get("behavior_logprob").asDouble()).toArray(),
        tokens.stream().mapToDouble(t -> t.get("advantage").asDouble()).toArray(),
        new long[count]);
  }
}
