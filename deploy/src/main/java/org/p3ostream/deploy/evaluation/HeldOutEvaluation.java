package org.p3ostream.deploy.evaluation;

import ai.djl.Device;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.types.DataType;
import java.nio.file.Path;
import java.util.List;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.sampling.SampledResponse;
import org.p3ostream.policy.sampling.Sampler;
import org.p3ostream.policy.sampling.SamplingParameters;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.TorchRuntime;

/** Answers prompts that were never trained on. To be used by the thread that opened it. */
public final class HeldOutEvaluation implements AutoCloseable {

  /** One prompt is answered this often: a second answer costs next to nothing in a batch. */
  private static final int SAMPLES_PER_PROMPT = 4;

  private final CausalLm model;
  private final Sampler sampler;
  private final Tokenizer tokenizer;
  private final List<PromptExample> prompts;
  private final SamplingParameters sampling;

  private HeldOutEvaluation(
      CausalLm model,
      Sampler sampler,
      Tokenizer tokenizer,
      List<PromptExample> prompts,
      int maxResponseTokens) {
    this.model = model;
    this.sampler = sampler;
    this.tokenizer = tokenizer;
    this.prompts = List.copyOf(prompts);
    this.sampling = new SamplingParameters(1.0, 0, 1.0, 0.0, maxResponseTokens);
  }

  /** Loads architecture and tokenizer; the weights come with each evaluation. */
  public static HeldOutEvaluation open(
      Path modelDirectory, List<PromptExample> prompts, int maxResponseTokens) {
    return open(
        ModelDirectory.loadConfig(modelDirectory),
        modelDirectory.resolve("tokenizer.json"),
        prompts,
        maxResponseTokens);
  }

  /** For a model that is not saved yet. */
  public static HeldOutEvaluation open(
      ModelConfig config, Path tokenizerJson, List<PromptExample> prompts, int maxResponseTokens) {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    CausalLm model = new CausalLm(config, Device.cpu(), DataType.FLOAT32);
    return new HeldOutEvaluation(
        model, new Sampler(model), Tokenizer.load(tokenizerJson), prompts, maxResponseTokens);
  }

  /**
   * Fraction of responses, sampled at temperature 1, that equal the answer.
   *
   * @param weights flat weights in layout order, [P]
   */
  public double exactMatch(float[] weights, long seed) {
    long right = 0;
    try (NDArray parameters = model.parameters(weights)) { // [P]
      for (int i = 0; i < prompts.size(); i++) {
        right += rightAnswers(parameters, prompts.get(i), seed + i);
      }
    }
    return (double) right / (prompts.size() * SAMPLES_PER_PROMPT);
  }

  private long rightAnswers(NDArray parameters, PromptExample example, long seed) {
    List<SampledResponse> responses =
        sampler.sample(
            parameters, tokenizer.encode(example.prompt()), SAMPLES_PER_PROMPT, sampling, seed);
    return responses.stream()
        .filter(response -> tokenizer.decode(response.tokens()).strip().equals(example.answer()))
        .count();
  }

  @Override
  public void close() {
    tokenizer.close();
    sampler.close();
    model.close();
  }
}
