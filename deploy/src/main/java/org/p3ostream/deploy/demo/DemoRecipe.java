package org.p3ostream.deploy.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.p3ostream.deploy.workdirectory.WorkDirectory;
import org.p3ostream.learner.task.SyntheticTask;

/** Numbers that are known to learn: 8 prompts of 8 responses a step. */
final class DemoRecipe {

  /** Prompts that are never trained on. */
  static final int HELD_OUT_PROMPTS = 256;

  /** Prompts to train on. */
  static final int TRAINING_PROMPTS = 4096;

  /** Prompts of one optimizer step. */
  static final int GROUPS_PER_WINDOW = 8;

  /** Responses to one prompt. */
  static final int SAMPLES_PER_GROUP = 8;

  /** Longer than any answer, so that a wrong one may show itself. */
  static final int MAX_RESPONSE_TOKENS = 12;

  private DemoRecipe() {}

  static double learningRate(SyntheticTask task) {
    return task == SyntheticTask.CSUM8 ? 1e-3 : 5e-4;
  }

  /** Resource directory of the warm-started model. */
  static String modelResource(SyntheticTask task) {
    return "models/" + task.name().toLowerCase(Locale.ROOT);
  }

  /** {@code path=value} of everything the demo decides, then what it was told. */
  static List<String> settings(DemoOptions options, WorkDirectory directory) {
    List<String> settings = new ArrayList<>();
    settings.add("run.id=demo");
    settings.add("run.seed=" + options.seed());
    settings.add("model.directory=" + directory.model());
    settings.add("prompts.file=" + directory.trainingPrompts());
    settings.add("sampling.samplesPerGroup=" + SAMPLES_PER_GROUP);
    settings.add("sampling.temperature=" + options.temperature());
    settings.add("producer.rolloutPrecision=" + options.rolloutPrecision());
    settings.add("sampling.maxResponseTokens=" + MAX_RESPONSE_TOKENS);
    settings.add("dispatch.groupsPerWindow=" + GROUPS_PER_WINDOW);
    settings.add("dispatch.maxStaleness=" + options.maxStaleness());
    settings.add("dispatch.syncInterval=" + options.syncInterval());
    settings.add("learner.holdBackWindows=" + options.holdBack());
    settings.add("algorithm.name=" + options.algorithm());
    settings.add("optimizer.learningRate=" + learningRate(options.task()));
    settings.add("optimizer.scheduleSteps=" + options.steps());
    settings.add("learner.steps=" + options.steps());
    settings.add("learner.checkpointDirectory=" + directory.checkpoints());
    settings.add("streams.stateDirectory=" + directory.streamsState());
    settings.addAll(options.overrides());
    return settings;
  }
}
