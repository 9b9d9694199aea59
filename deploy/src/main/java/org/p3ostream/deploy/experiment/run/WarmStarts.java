package org.p3ostream.deploy.experiment.run;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.evaluation.HeldOutEvaluation;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.learner.pretrain.PretrainConfig;
import org.p3ostream.learner.pretrain.Pretrainer;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.policy.torch.TorchRuntime;
import org.p3ostream.schemas.snapshot.WeightsDigest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The warm starts of an experiment, each made once: a function of its recipe, whose hash is the
 * name of its directory. The file that says what it came to is written last, so that one that was
 * cut short is made again.
 */
final class WarmStarts {

  private static final Logger LOG = LoggerFactory.getLogger(WarmStarts.class);

  private static final String OUTCOME = "warm-start.json";

  /** Training prompts on which it is measured whether a warm start is good enough. */
  private static final int GOAL_PROMPTS = 64;

  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
          .build();

  /**
   * What a warm start came to.
   *
   * @param recipe what it was made by, for people
   * @param steps after which it was good enough
   */
  record Outcome(
      String hash, String recipe, int steps, double heldOutReward, String weightsSha256) {}

  private final ExperimentPlan plan;
  private final Path directory;
  private final BooleanSupplier stopping;
  private final Map<Long, Object> locks = new ConcurrentHashMap<>(); // by seed

  /**
   * @param directory holds them all
   * @param stopping asked while one is made
   */
  WarmStarts(ExperimentPlan plan, Path directory, BooleanSupplier stopping) {
    this.plan = plan;
    this.directory = directory;
    this.stopping = stopping;
  }

  /** SHA-256 of all that the warm start of a seed depends on. */
  String hash(long seed) {
    return WeightsDigest.sha256(recipe(seed).getBytes(StandardCharsets.UTF_8));
  }

  /**
   * The warm start of a seed, made if it is not there. Whoever asks for one that is in the making
   * waits.
   *
   * @throws StoppedException if the experiment ends meanwhile
   */
  PreparedStart of(long seed) {
    synchronized (locks.computeIfAbsent(seed, one -> new Object())) {
      String hash = hash(seed);
      Path place = directory.resolve(hash.substring(0, 16));
      Outcome outcome = read(place);
      if (outcome == null || !outcome.hash().equals(hash)) {
        outcome = make(place, hash, seed);
      }
      return new PreparedStart(hash, place, outcome.heldOutReward(), outcome.weightsSha256());
    }
  }

  private String recipe(long seed) {
    return "format 2; task %s; held out %d, training %d, supervised %d prompts; model %s; reward %s on %d prompts; %s"
        .formatted(
            plan.task(),
            plan.heldOut().prompts(),
            TaskPrompts.TRAINING,
            TaskPrompts.SUPERVISED,
            ParameterLayout.of(NanoModel.config()).modelHash(),
            plan.warmStart().untilReward(),
            GOAL_PROMPTS,
            plan.warmStart().recipe(seed));
  }

  private static @Nullable Outcome read(Path place) {
    try {
      return JSON.readValue(place.resolve(OUTCOME).toFile(), Outcome.class);
    } catch (IOException e) {
      return null; // not there, or not whole
    }
  }

  private Outcome make(Path place, String hash, long seed) {
    LOG.info("warm start of seed {}: {}", seed, recipe(seed));
    ExperimentDirectory.delete(place);
    try {
      Files.createDirectories(place);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot create " + place, e);
    }
    PreparedStart start = new PreparedStart(hash, place, 0, "");
    TaskPrompts prompts = TaskPrompts.of(plan.task(), plan.heldOut().prompts(), seed);
    PromptFile.write(start.trainingPrompts(), prompts.training());
    PromptFile.write(start.heldOutPrompts(), prompts.heldOut());
    Trained trained = train(start, prompts, seed);
    float[] weights = trained.weights();
    try (HeldOutEvaluation evaluation =
        HeldOutEvaluation.open(start.model(), prompts.heldOut(), Evaluations.MAX_TOKENS)) {
      Outcome outcome =
          new Outcome(
              hash,
              recipe(seed),
              trained.steps(),
              evaluation.exactMatch(weights, Evaluations.SEED),
              WeightsDigest.sha256(WeightsDigest.toBytes(weights)));
      new ExperimentDirectory(place)
          .writeWhole(
              place.resolve(OUTCOME),
              JSON.writerWithDefaultPrettyPrinter().writeValueAsString(outcome));
      LOG.info(
          "warm start of seed {}: held-out reward {} after {} steps",
          seed,
          outcome.heldOutReward(),
          outcome.steps());
      return outcome;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + place, e);
    }
  }

  /**
   * Weights that are good enough.
   *
   * @param weights flat, in layout order, [P]
   */
  private record Trained(float[] weights, int steps) {}

  private Trained train(PreparedStart start, TaskPrompts prompts, long seed) {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    PretrainConfig config = plan.warmStart().recipe(seed);
    Path tokenizerJson = start.directory().resolve("tokenizer.json");
    NanoModel.copyTokenizer(tokenizerJson);
    try (Tokenizer tokenizer = Tokenizer.load(tokenizerJson);
        RewardGoal goal =
            RewardGoal.of(plan, prompts.training().subList(0, GOAL_PROMPTS), tokenizerJson)) {
      int[] steps = {0};
      float[] weights =
          new Pretrainer(NanoModel.config(), tokenizer, config)
              .train(
                  prompts.supervised(),
                  (step, loss) -> {
                    steps[0] = step;
                    requireGoingOn();
                  },
                  goal);
      goal.requireReached(seed);
      ModelDirectory.save(start.model(), NanoModel.config(), weights, tokenizerJson);
      return new Trained(weights, steps[0]);
    }
  }

  private void requireGoingOn() {
    if (stopping.getAsBoolean()) {
      throw new StoppedException();
    }
  }
}
