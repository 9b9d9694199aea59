package org.p3ostream.policy.torch;

import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.model.TinyModels;
import org.p3ostream.policy.sampling.Sampler;
import org.p3ostream.policy.sampling.SamplingParameters;

/**
 * The process does not grow while it samples and trains. Measured from step 150 to step 500: 0.2
 * MiB; without the scope around the training step 94 MiB and six arrays per step.
 */
@EnabledOnOs(OS.LINUX)
class NativeMemoryTest {

  private static final int WARM_UP_STEPS = 150;
  private static final int STEPS = 500;
  private static final int STEPS_PER_COLLECTION = 25;
  private static final int ROWS = 8;
  private static final int LENGTH = 17;
  private static final double ALLOWED_GROWTH_MEBIBYTES = 16;

  @Test
  void residentMemoryStaysFlatOver500StepsOfSamplingAndTraining() throws IOException {
    ModelConfig config = NanoModel.config();
    try (CausalLm model = TinyModels.model(config, DataType.FLOAT32);
        Sampler sampler = new Sampler(model)) {
      NDArray parameters = model.parameters(ParameterInitializer.initialize(config, 1));
      parameters.setRequiresGradient(true);
      long residentAfterWarmUp = 0;
      int arraysAfterWarmUp = 0;
      for (int step = 1; step <= STEPS; step++) {
        sample(sampler, parameters, step);
        train(model, parameters, step);
        if (step % STEPS_PER_COLLECTION == 0) {
          System.gc(); // keeps the Java heap from spreading over pages it has not touched before
        }
        if (step == WARM_UP_STEPS) {
          residentAfterWarmUp = residentBytes();
          arraysAfterWarmUp = model.manager().getManagedArrays().size();
        }
      }
      double growthMebibytes = (residentBytes() - residentAfterWarmUp) / 0x1p20;
      assertThat(model.manager().getManagedArrays().size())
          .as("arrays attached to the model's manager")
          .isEqualTo(arraysAfterWarmUp);
      assertThat(growthMebibytes).as("MiB of growth").isLessThan(ALLOWED_GROWTH_MEBIBYTES);
    }
  }

  private static void sample(Sampler sampler, NDArray parameters, int step) {
    int[] prompt = {1, 2, 3, 4, 5, 6, 7, 8, 10};
    sampler.sample(parameters, prompt, 4, new SamplingParameters(1, 0, 1, 0, 4), step);
  }

  private static void train(CausalLm model, NDArray parameters, int step) {
    NDManager manager = model.manager();
    long[] positions = LongStream.range(0, ROWS * LENGTH).filter(i -> i % LENGTH >= 8).toArray();
    long[] targets = TinyModels.ids(model.config(), 1, positions.length, step);
    long[] ids = TinyModels.ids(model.config(), ROWS, LENGTH, step);
    try (NDScope scope = new NDScope();
        Autograd recording = Autograd.record()) {
      scope.suppressNotUsedWarning();
      NDArray logprobs =
          model.tokenLogprobs(
              parameters,
              manager.create(ids, new Shape(ROWS, LENGTH)),
              manager.create(positions),
              manager.create(targets),
              1);
      Autograd.backward(logprobs.mean());
      NDArray gradient = parameters.getGradient();
      gradient.subi(gradient);
    }
  }

  private static long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
      }
    }
    throw new IllegalStateException("/proc/self/status has no VmRSS");
  }
}
