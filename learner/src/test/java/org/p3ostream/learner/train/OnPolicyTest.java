package org.p3ostream.learner.train;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.batch.MicroBatcher;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.batch.WindowPartition;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.replica.ReplicaGroup;
import org.p3ostream.learner.window.RandomWindows;
import org.p3ostream.learner.window.Window;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.policy.torch.ScriptModule;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.avro.RolloutGroup;

/** Where π_θ = π_b, P3O is REINFORCE with the group advantage. */
class OnPolicyTest {

  private static final int ALL = 1_000_000;
  private static final float[] WEIGHTS = ParameterInitializer.initialize(NanoModel.config(), 5);

  private static final String REINFORCE =
      """
      def loss(self, logp: Tensor, advantages: Tensor, count: Tensor) -> Tensor:
        return torch.div(torch.neg(torch.sum(logp.to(7) * advantages)), count)
      """;

  @BeforeAll
  static void start() {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
  }

  @ParameterizedTest
  @EnumSource(
      value = DataType.class,
      names = {"FLOAT32", "FLOAT64"})
  void essIsOneAndTheGradientIsThatOfReinforce(DataType dtype) {
    try (CausalLm model = new CausalLm(NanoModel.config(), Device.cpu(), dtype)) {
      for (long seed = 1; seed <= 3; seed++) {
        Window window = onPolicy(model, RandomWindows.records(seed));
        WindowEvaluation p3o = evaluate(model, window, 80);
        double[] reinforce = reinforce(model, window);
        assertThat(p3o.ess()).as("seed %d", seed).isCloseTo(1, within(1e-8));
        assertThat(p3o.behaviorKl()).as("seed %d", seed).isCloseTo(0, within(1e-10));
        assertThat(cosine(p3o.gradient(), reinforce))
            .as("seed %d", seed)
            .isGreaterThanOrEqualTo(0.999999);
        assertThat(relativeDistance(p3o.gradient(), reinforce))
            .as("seed %d", seed)
            .isLessThanOrEqualTo(1e-6);
      }
    }
  }

  /** With behaviour log-probs of the model itself, as float32 records hold them. */
  private static Window onPolicy(CausalLm model, List<RolloutGroup> records) {
    List<RolloutGroup> whole =
        RandomWindows.withResponses(
            records, b -> b.setLossMask(b.getTokens().stream().map(token -> true).toList()));
    TokenBatch tokens = tokens(model, RandomWindows.window(whole));
    int[] next = {0};
    List<RolloutGroup> sampled = new ArrayList<>();
    for (RolloutGroup record : records) {
      sampled.addAll(
          RandomWindows.withResponses(
              List.of(record),
              b ->
                  b.setBehaviorLogprobs(
                      b.getTokens().stream()
                          .map(token -> (float) tokens.logprob(next[0]++))
                          .toList())));
    }
    return RandomWindows.window(sampled);
  }

  private static TokenBatch tokens(CausalLm model, Window window) {
    Partitioning one = Partitioning.on(Device.cpu(), 1, ALL, ALL);
    StepRecipe recipe = StepRecipe.of(new P3o());
    try (NDArray parameters = model.parameters(WEIGHTS)) {
      parameters.setRequiresGradient(true);
      try (WindowPass pass =
          new WindowPass(
              new ReplicaGroup(model, parameters, recipe, one.devices()),
              model.shards(),
              WindowPartition.cut(model.config().padTokenId(), one),
              ContextRule.of(recipe.objective()),
              ALL)) {
        return pass.run(window).tokens().asBatch();
      }
    }
  }

  private static WindowEvaluation evaluate(CausalLm model, Window window, int microBatchTokens) {
    try (WindowEvaluator evaluator =
        new WindowEvaluator(
            model,
            WEIGHTS,
            StepRecipe.of(new P3o()),
            Partitioning.on(Device.cpu(), 2, microBatchTokens, 100))) {
      return evaluator.evaluate(window);
    }
  }

  /** −(1/N) Σ A_t log π(y_t), response by response. */
  private static double[] reinforce(CausalLm model, Window window) {
    NDManager manager = model.manager();
    try (ScriptModule script = ScriptModule.compile(manager, REINFORCE);
        NDArray parameters = model.parameters(WEIGHTS)) {
      parameters.setRequiresGradient(true);
      for (MicroBatch row : new MicroBatcher(1, 0).cut(window)) {
        try (NDScope scope = new NDScope();
            Autograd recording = Autograd.record()) {
          scope.suppressNotUsedWarning();
          if (row.validTokens() > 0) {
            NDArray logprobs =
                model.tokenLogprobs(
                    parameters,
                    manager.create(row.ids, new Shape(1, row.columns)),
                    manager.create(row.positions),
                    manager.create(row.targets),
                    1); // [N]
            NDArray advantages = manager.create(row.advantages); // [N]
            NDArray count = manager.create((double) window.validTokens()); // []
            Autograd.backward(script.call("loss", logprobs, advantages, count).head());
          }
        }
      }
      return parameters.getGradient().toType(DataType.FLOAT64, false).toDoubleArray(); // [P]
    }
  }

  private static double cosine(double[] a, double[] b) {
    return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
  }

  private static double relativeDistance(double[] found, double[] expected) {
    double[] difference = new double[found.length];
    for (int i = 0; i < found.length; i++) {
      difference[i] = found[i] - expected[i];
    }
    return Math.sqrt(dot(difference, difference) / dot(expected, expected));
  }

  private static double dot(double[] a, double[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += a[i] * b[i];
    }
    return sum;
  }
}
