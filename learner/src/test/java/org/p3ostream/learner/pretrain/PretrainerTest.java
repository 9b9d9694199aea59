package org.p3ostream.learner.pretrain;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.SyntheticTask;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.TorchRuntime;

class PretrainerTest {

  @Test
  void trainLowersTheLossAndRepeatsBitForBit(@TempDir Path directory) {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    Path tokenizerJson = directory.resolve("tokenizer.json");
    NanoModel.copyTokenizer(tokenizerJson);
    try (Tokenizer tokenizer = Tokenizer.load(tokenizerJson)) {
      PretrainConfig config = new PretrainConfig(40, 16, 2e-3, 5, 0.08, 7);
      Pretrainer pretrainer = new Pretrainer(NanoModel.config(), tokenizer, config);
      List<Double> losses = new ArrayList<>();
      float[] first =
          pretrainer.train(SyntheticTask.CSUM8.generate(512, 1), (step, loss) -> losses.add(loss));
      float[] second = pretrainer.train(SyntheticTask.CSUM8.generate(512, 1), (step, loss) -> {});
      assertThat(losses.get(39)).isLessThan(0.95 * losses.get(0));
      assertThat(second).isEqualTo(first);
    }
  }

  @Test
  void trainEndsWhenTheGoalIsReachedWithTheWeightsOfAShorterConfiguration(@TempDir Path directory) {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    Path tokenizerJson = directory.resolve("tokenizer.json");
    NanoModel.copyTokenizer(tokenizerJson);
    List<PromptExample> examples = SyntheticTask.CSUM8.generate(512, 1);
    try (Tokenizer tokenizer = Tokenizer.load(tokenizerJson)) {
      float[] shorter =
          new Pretrainer(
                  NanoModel.config(), tokenizer, new PretrainConfig(12, 16, 2e-3, 5, 0.08, 7))
              .train(examples, (step, loss) -> {});
      List<Integer> told = new ArrayList<>();
      List<float[]> seen = new ArrayList<>();
      float[] ended =
          new Pretrainer(
                  NanoModel.config(), tokenizer, new PretrainConfig(3000, 16, 2e-3, 5, 0.08, 7))
              .train(
                  examples,
                  (step, loss) -> told.add(step),
                  (step, weights) -> step == 12 && seen.add(weights.get()));
      assertThat(told).hasSize(12).endsWith(12);
      assertThat(seen).singleElement().isEqualTo(ended);
      assertThat(ended).isEqualTo(shorter);
    }
  }
}
