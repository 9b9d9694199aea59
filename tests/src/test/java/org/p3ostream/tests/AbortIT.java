package org.p3ostream.tests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.stack.LocalStack;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterInitializer;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.schemas.avro.DeadLetter;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.tests.support.LocalStackExtension;
import org.p3ostream.tests.support.RunningRole;
import org.p3ostream.tests.support.TestRun;

/** Responses that take minutes, cut short through a real broker. */
@ExtendWith(LocalStackExtension.class)
class AbortIT {

  private static final int MAX_POSITIONS = 60_000;

  @Test
  void producerThatIsAskedToEndWhileItSamplesGivesThePromptBack(
      LocalStack stack, @TempDir Path directory) throws Throwable {
    TestRun run = endlessRun(stack, directory);
    run.learner("learner.steps=0").join(); // opens the run
    int prompts = run.records(run.topics().prompts()).size();
    try (RunningRole producer = run.producer("a")) {
      TestRun.until("a prompt was started", () -> run.startNotes().contains("starts=1"));
      producer.stop();
    }

    assertThat(run.records(run.topics().rollouts())).isEmpty();
    assertThat(run.lag("test")).isEqualTo(prompts);
    assertThat(run.startNotes()).containsOnly("starts=0");
  }

  @Test
  void groupsThatTimeOutAreRefusedAndAskedForAgain(LocalStack stack, @TempDir Path directory)
      throws Throwable {
    TestRun run = endlessRun(stack, directory);
    try (RunningRole producer = run.producer("a", "producer.generationTimeoutSeconds=1");
        RunningRole learner = run.learner()) {
      TestRun.until(
          "a replacement was dispatched",
          () ->
              run.topicsExist()
                  && run.values(run.topics().prompts(), PromptTask.class).stream()
                      .anyMatch(task -> task.getAttempt() == 1));
    }

    assertThat(run.values(run.topics().rollouts(), RolloutGroup.class))
        .isNotEmpty()
        .flatExtracting(RolloutGroup::getResponses)
        .extracting(Response::getFinishReason)
        .containsOnly(FinishReason.ABORTED);
    assertThat(run.values(run.topics().deadLetters(), DeadLetter.class))
        .isNotEmpty()
        .allSatisfy(
            letter -> {
              assertThat(letter.getReason()).isEqualTo(RejectionReason.ABORTED);
              assertThat(letter.getField()).isEqualTo("responses");
              assertThat(letter.getCause()).startsWith("0 of 4 responses came to an end");
            });
    assertThat(run.steps()).isEmpty();
  }

  /**
   * Sampled greedily, the model never ends a response: with an embedding of zero the logit of
   * end-of-sequence is 0, and some other token's is larger.
   */
  private static TestRun endlessRun(LocalStack stack, Path directory) throws Exception {
    ModelConfig nano = NanoModel.config();
    ModelConfig longer =
        new ModelConfig(
            nano.vocabSize(),
            nano.hiddenSize(),
            nano.intermediateSize(),
            nano.layers(),
            nano.attentionHeads(),
            nano.keyValueHeads(),
            nano.headDim(),
            nano.rmsNormEps(),
            nano.ropeTheta(),
            nano.tiedEmbeddings(),
            MAX_POSITIONS,
            nano.eosTokenId(),
            nano.padTokenId());
    float[] weights = ParameterInitializer.initialize(longer, 3);
    ParameterLayout.Slice embedding = ParameterLayout.of(longer).slices().get(0); // [V, H]
    int endOfSequence = (int) embedding.elementOffset() + nano.eosTokenId() * nano.hiddenSize();
    Arrays.fill(weights, endOfSequence, endOfSequence + nano.hiddenSize(), 0);
    Path model = directory.resolve("endless");
    TestRun run =
        new TestRun(
            stack,
            directory,
            "model.directory=" + model,
            "sampling.topK=1",
            "sampling.maxResponseTokens=" + (MAX_POSITIONS - 100),
            "learner.microBatchTokens=" + MAX_POSITIONS);
    ModelDirectory.save(model, longer, weights, directory.resolve("tokenizer.json"));
    return run;
  }
}
