package org.p3ostream.learner.runtime;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.p3ostream.learner.batch.Partitioning;
import org.p3ostream.learner.config.AlgorithmConfig;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.config.DatasetConfig;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.config.PromptsConfig;
import org.p3ostream.learner.config.RatioConfig.BehaviorLogprob;
import org.p3ostream.learner.config.RatioConfig.PolicyTemperature;
import org.p3ostream.learner.config.RatioConfig.TruncatedSampling;
import org.p3ostream.learner.dispatch.PromptSchedule;
import org.p3ostream.learner.forward.BehaviorWeights;
import org.p3ostream.learner.forward.ForwardSpec;
import org.p3ostream.learner.forward.StepRecipe;
import org.p3ostream.learner.ledger.RunDefinition;
import org.p3ostream.learner.objective.KlMode;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.OverlongPenalty;
import org.p3ostream.learner.objective.P3o;
import org.p3ostream.learner.objective.Regularization;
import org.p3ostream.learner.optimizer.AdamW;
import org.p3ostream.learner.optimizer.LearningRateSchedule;
import org.p3ostream.learner.optimizer.OptimizerState;
import org.p3ostream.learner.task.PromptDataset;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.learner.train.WindowTrainer;
import org.p3ostream.learner.window.AdvantageRule;
import org.p3ostream.learner.window.BehaviorVersions;
import org.p3ostream.learner.window.DynamicSampling;
import org.p3ostream.learner.window.RolloutContract;
import org.p3ostream.learner.window.SamplingRules;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.model.CausalLm;
import org.p3ostream.policy.model.ContextShards;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.schemas.avro.ParameterSlice;
import org.p3ostream.schemas.snapshot.SnapshotEncoder;
import org.p3ostream.schemas.snapshot.WeightsDigest;

/**
 * What a run is made of before any record is read: model, tokenizer, prompts and what follows from
 * them.
 */
final class RunAssets implements AutoCloseable {
  private final LearnerSettings settings;
  private final ModelDirectory.Contents directory;
  private final List<PromptDataset> datasets;
  private final CausalLm model;
  private final boolean ownsModel;
  private final String tokenizerHash;

  private RunAssets(
      LearnerSettings settings,
      ModelDirectory.Contents directory,
      List<PromptDataset> datasets,
      CausalLm model,
      boolean ownsModel,
      String tokenizerHash) {
    this.settings = settings;
    this.directory = directory;
    this.datasets = datasets;
    this.model = model;
    this.ownsModel = ownsModel;
    this.tokenizerHash = tokenizerHash;
  }

  /**
   * Reads the files that the configuration names.
   *
   * @throws ConfigurationException if one cannot be used, or a prompt cannot be served by the model
   */
  static RunAssets load(LearnerSettings settings) {
    return load(settings, true);
  }

  /** The same without prompts, for who trains on what was sampled already. */
  static RunAssets loadModel(LearnerSettings settings) {
    return load(settings, false);
  }

  private static RunAssets load(LearnerSettings settings, boolean withPrompts) {
    try {
      return read(settings, withPrompts);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException(String.valueOf(e.getMessage()), e);
    }
  }

  private static RunAssets read(LearnerSettings settings, boolean withPrompts) {
    Path modelDirectory = Path.of(settings.model().directory());
    ModelDirectory.Contents directory = ModelDirectory.load(modelDirectory);
    ModelDropout.requireNone(modelDirectory);
    List<PromptDataset> datasets = withPrompts ? readDatasets(settings.prompts()) : List.of();
    try (Tokenizer tokenizer = Tokenizer.load(directory.tokenizerJson())) {
      for (int i = 0; i < datasets.size(); i++) {
        String file = settings.prompts().all().get(i).file();
        List<PromptExample> prompts = datasets.get(i).prompts();
        requireServable(file, prompts, tokenizer, settings, directory.config().maxPositions());
      }
      return new RunAssets(
          settings, directory, datasets, model(directory, settings), true, tokenizer.sha256());
    }
  }

  private static CausalLm model(ModelDirectory.Contents directory, LearnerSettings settings) {
    return new CausalLm(
        directory.config(),
        device(settings, 0),
        DataType.FLOAT32,
        new ContextShards(settings.learner().contextShards()));
  }

  /** The same files under other settings. To be closed before these. */
  RunAssets under(LearnerSettings other) {
    boolean sameShards = other.learner().contextShards() == settings.learner().contextShards();
    return new RunAssets(
        other,
        directory,
        datasets,
        sameShards ? model : model(directory, other),
        !sameShards,
        tokenizerHash);
  }

  LearnerSettings settings() {
    return settings;
  }

  private static List<PromptDataset> readDatasets(PromptsConfig prompts) {
    List<PromptDataset> datasets = new ArrayList<>();
    for (DatasetConfig dataset : prompts.all()) {
      try {
        datasets.add(
            new PromptDataset(
                dataset.name(),
                dataset.reward(),
                dataset.weight(),
                PromptFile.read(Path.of(dataset.file()))));
      } catch (IllegalArgumentException e) {
        String path = prompts.path(datasets.size(), "file");
        throw new IllegalArgumentException(path + ": " + e.getMessage(), e);
      }
    }
    return datasets;
  }

  /** Otherwise producers would give up group after group, and the run would never train. */
  private static void requireServable(
      String file,
      List<PromptExample> prompts,
      Tokenizer tokenizer,
      LearnerSettings settings,
      int maxPositions) {
    int room = maxPositions - settings.sampling().maxResponseTokens();
    for (int i = 0; i < prompts.size(); i++) {
      String where = file + ": prompt " + (i + 1) + ": ";
      int tokens;
      try {
        tokens = tokenizer.encode(prompts.get(i).prompt()).length;
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(where + e.getMessage(), e);
      }
      if (tokens > room) {
        throw new IllegalArgumentException(
            "%s%d tokens, but the model's %d positions less sampling.maxResponseTokens (%d) leave %d"
                .formatted(
                    where, tokens, maxPositions, settings.sampling().maxResponseTokens(), room));
      }
    }
  }

  CausalLm model() {
    return model;
  }

  /** Weights of version 0, [P]. */
  float[] initialWeights() {
    return directory.weights();
  }

  RunDefinition definition() {
    return RunDefinition.of(
        settings,
        model.layout().modelHash(),
        WeightsDigest.sha256(WeightsDigest.toBytes(directory.weights())),
        tokenizerHash,
        digests(settings.prompts()));
  }

  /**
   * Makes sure that model and tokenizer are those of a run.
   *
   * @throws ConfigurationException naming what differs
   */
  void requireModelOf(RunDefinition recorded) {
    List<String> differences =
        recorded.modelDifferences(
            model.layout().modelHash(),
            WeightsDigest.sha256(WeightsDigest.toBytes(directory.weights())),
            tokenizerHash);
    if (!differences.isEmpty()) {
      throw new ConfigurationException(
          "model.directory: %s is not the model of this run: %s"
              .formatted(settings.model().directory(), String.join("; ", differences)));
    }
  }

  /** Digest of every prompts file, by the name of its data set. */
  private static Map<String, String> digests(PromptsConfig prompts) {
    Map<String, String> digests = new LinkedHashMap<>();
    for (DatasetConfig dataset : prompts.all()) {
      Path file = Path.of(dataset.file());
      try {
        digests.put(dataset.name(), WeightsDigest.sha256(Files.readAllBytes(file)));
      } catch (IOException e) {
        String path = prompts.path(digests.size(), "file");
        throw new UncheckedIOException(path + ": cannot read " + file, e);
      }
    }
    return digests;
  }

  Objective objective() {
    return settings.algorithm().objective();
  }

  PromptSchedule promptSchedule() {
    return new PromptSchedule(
        settings.run(), settings.sampling(), datasets, settings.dispatch().groupsPerWindow());
  }

  /** Earlier versions, from the log. */
  BehaviorSnapshots snapshots(RunLog log) {
    return new BehaviorSnapshots(
        directory.weights(), snapshotSearch(log)::find, settings.learner().snapshotCache());
  }

  SnapshotSearch snapshotSearch(RunLog log) {
    String topic = log.topics().snapshots().name();
    return new SnapshotSearch(
        log.readers().snapshots(),
        new PatientDecoder(log.readers().codec(), topic),
        topic,
        log.runId(),
        model.layout().modelHash(),
        model.layout().size());
  }

  RolloutContract contract(BehaviorVersions snapshots) {
    return new RolloutContract(
        model.layout().modelHash(),
        tokenizerHash,
        model.config().vocabSize(),
        settings.sampling().samplesPerGroup(),
        model.config().maxPositions(),
        advantages(),
        samplingRules(),
        snapshots);
  }

  private SamplingRules samplingRules() {
    boolean reject = settings.ratio().truncatedSampling() == TruncatedSampling.REJECT;
    return new SamplingRules(
        takesRawLogprobs(),
        settings.ratio().policyTemperature() == PolicyTemperature.SAMPLING,
        reject ? SamplingRules.Truncated.REJECTED : SamplingRules.Truncated.SAME_KEPT_SET,
        settings.audit().behaviorLogprobs()
            || settings.audit().exactKl()
            || (objective() instanceof P3o p3o && p3o.klMode() == KlMode.EXACT),
        settings.dispatch().versionsBack());
  }

  private boolean takesRawLogprobs() {
    return settings.ratio().behaviorLogprob() == BehaviorLogprob.RAW;
  }

  private AdvantageRule advantages() {
    AlgorithmConfig algorithm = settings.algorithm();
    OverlongPenalty overlong =
        algorithm.overlongBuffer() == 0
            ? null
            : new OverlongPenalty(
                settings.sampling().maxResponseTokens(),
                algorithm.overlongBuffer(),
                algorithm.overlongPenalty());
    return new AdvantageRule(algorithm.advantage(), overlong);
  }

  DynamicSampling dynamicSampling() {
    return settings.algorithm().dropsZeroVariance()
        ? new DynamicSampling(settings.algorithm().dynamicSamplingAttempts())
        : DynamicSampling.OFF;
  }

  SnapshotEncoder snapshotEncoder() {
    List<ParameterSlice> slices =
        model.layout().slices().stream()
            .map(
                slice ->
                    ParameterSlice.newBuilder()
                        .setName(slice.name())
                        .setShape(slice.shape())
                        .setElementOffset(slice.elementOffset())
                        .build())
            .toList();
    return new SnapshotEncoder(settings.run().id(), model.layout().modelHash(), slices);
  }

  AdamW optimizer(OptimizerState state) {
    return new AdamW(model, settings.optimizer(), state);
  }

  WindowTrainer trainer(AdamW optimizer, BehaviorWeights weights) {
    StepRecipe recipe =
        new StepRecipe(
            objective(),
            new Regularization(settings.algorithm().referenceKl(), settings.algorithm().entropy()),
            settings.ratio().policyTemperature() == PolicyTemperature.SAMPLING,
            takesRawLogprobs(),
            settings.audit().behaviorLogprobs(),
            settings.audit().exactKl(),
            weights);
    return new WindowTrainer(
        model, optimizer, LearningRateSchedule.of(settings.optimizer()), recipe, partitioning());
  }

  /** What it takes to compute log π_θ as the ratio has it, and nothing else. */
  ForwardSpec logprobsInTheRatio() {
    return new ForwardSpec(
        settings.ratio().policyTemperature() == PolicyTemperature.SAMPLING,
        takesRawLogprobs(),
        false,
        false,
        false,
        false,
        false);
  }

  private Partitioning partitioning() {
    return new Partitioning(
        settings.learner().microBatchTokens(),
        settings.learner().retainedGraphTokens(),
        IntStream.range(0, settings.learner().replicas())
            .mapToObj(replica -> device(settings, replica))
            .toList());
  }

  /** Replicas share the processor, and have one accelerator each from the first one's on. */
  private static Device device(LearnerSettings settings, int replica) {
    String name = settings.model().device();
    return name.equals("cpu")
        ? Device.cpu()
        : Device.gpu(Integer.parseInt(name.substring(name.indexOf(':') + 1)) + replica);
  }

  @Override
  public void close() {
    if (ownsModel) {
      model.close();
    }
  }
}
