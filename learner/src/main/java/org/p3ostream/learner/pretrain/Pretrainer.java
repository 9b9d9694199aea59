package org.p3ostream.learner.pretrain;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.Autograd;
import org.p3ostream.policy.torch.ScriptModule;

/**
 * Trains a model from random weights on prompts with answers.
 *
 * <pre>
 *   loss = −(1/N) Σ log π_θ(answer token | prompt, answer so far)  [nats], N answer tokens of the batch
 * </pre>
 *
 * float32; examples are drawn with replacement; a function of model configuration, examples and
 * {@link PretrainConfig}.
 */
public final class Pretrainer {

  /** Told about the progress. */
  @FunctionalInterface
  public interface Progress {
    /**
     * After each step.
     *
     * @param step steps done
     * @param loss mean loss of the step's batch, nats
     */
    void step(int step, double loss);
  }

  /** Says when it is enough. */
  @FunctionalInterface
  public interface Goal {
    /**
     * Asked after each step, before the progress is told.
     *
     * @param step steps done
     * @param weights flat weights in layout order as they are now, [P]; copied when asked for
     */
    boolean reached(int step, Supplier<float[]> weights);
  }

  private static final String MEAN_LOSS =
      """
      def loss(self, logp: Tensor) -> Tensor:
        return torch.neg(torch.mean(logp))
      """;

  private final ModelConfig model;
  private final Tokenizer tokenizer;
  private final PretrainConfig config;

  public Pretrainer(ModelConfig model, Tokenizer tokenizer, PretrainConfig config) {
    this.model = model;
    this.tokenizer = tokenizer;
    this.config = config;
  }

  /**
   * Trains for all steps of the configuration.
   *
   * @return flat weights in layout order, [P]
   */
  public float[] train(List<PromptExample> examples, Progress progress) {
    return train(examples, progress, (step, weights) -> false);
  }

  /**
   * Trains until the goal is reached, at the longest for all steps of the configuration. As the
   * learning rate is constant, the weights are those of a shorter configuration with as many
   * warm-up steps.
   *
   * @return flat weights in layout order, [P]
   */
  public float[] train(List<PromptExample> examples, Progress progress, Goal goal) {
    SplittableRandom random = new SplittableRandom(config.seed());
    LabelNoise noise = new LabelNoise(config.labelNoise(), random.split());
    OptimizerConfig optimizerConfig = optimizer();
    LearningRateSchedule schedule = LearningRateSchedule.of(optimizerConfig);
    try (CausalLm lm = new CausalLm(model, Device.cpu(), DataType.FLOAT32);
        ScriptModule meanLoss = ScriptModule.compile(lm.manager(), MEAN_LOSS);
        AdamW optimizer =
            new AdamW(lm, optimizerConfig, ParameterInitializer.initialize(model, config.seed()))) {
      for (int step = 0; step < config.steps(); step++) {
        SupervisedBatch batch = draw(examples, random, noise);
        double loss = accumulate(lm, meanLoss, optimizer, batch);
        double gradNorm = optimizer.gradientNorm();
        if (!Double.isFinite(loss) || !Double.isFinite(gradNorm)) {
          throw new IllegalStateException(
              "step " + step + ": loss " + loss + ", gradient norm " + gradNorm);
        }
        optimizer.update(schedule.at(step), gradNorm);
        boolean enough = goal.reached(step + 1, optimizer::weights);
        progress.step(step + 1, loss);
        if (enough) {
          break;
        }
      }
      return optimizer.weights();
    }
  }

  private double accumulate(
      CausalLm lm, ScriptModule meanLoss, AdamW optimizer, SupervisedBatch batch) {
    NDManager manager = lm.manager();
    try (NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      NDArray logprobs =
          lm.tokenLogprobs(
              optimizer.parameters(),
              manager.create(batch.ids, new Shape(batch.rows, batch.columns)), // [B, T]
              manager.create(batch.positions), // [N]
              manager.create(batch.targets), // [N]
              1); // [N]
      NDArray loss = meanLoss.call("loss", logprobs).singletonOrThrow(); // []
      Autograd.backward(loss);
      return loss.getFloat();
    }
  }

  private SupervisedBatch draw(
      List<PromptExample> examples, SplittableRandom random, LabelNoise noise) {
    List<SupervisedBatch.Example> drawn = new ArrayList<>();
    for (int i = 0; i < config.batchSize(); i++) {
      PromptExample example = examples.get(random.nextInt(examples.size()));
      int[] answer = tokenizer.encode(noise.apply(example.answer()));
      int[] ended = Arrays.copyOf(answer, answer.length + 1);
      ended[answer.length] = model.eosTokenId();
      drawn.add(new SupervisedBatch.Example(tokenizer.encode(example.prompt()), ended));
    }
    return new SupervisedBatch(drawn, model.padTokenId());
  }

  private OptimizerConfig optimizer() {
    OptimizerConfig defaults = OptimizerConfig.defaults();
    return new OptimizerConfig(
        config.learningRate(),
        defaults.beta1(),
        defaults.beta2(),
        defaults.epsilon(),
        defaults.weightDecay(),
        defaults.clipNorm(),
        (double) config.warmupSteps() / config.steps(),
        1.0,
        config.steps());
  }
}
