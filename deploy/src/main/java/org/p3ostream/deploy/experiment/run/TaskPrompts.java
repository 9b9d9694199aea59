package org.p3ostream.deploy.experiment.run;

import java.util.List;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.SyntheticTask;

/**
 * One draw of a task without repetition, cut up: what is evaluated was neither trained on nor seen
 * by the warm start.
 *
 * @param heldOut the first ones
 * @param training of the runs: the next {@value #TRAINING}
 * @param supervised of the warm start: all but the held-out ones
 */
record TaskPrompts(
    List<PromptExample> heldOut, List<PromptExample> training, List<PromptExample> supervised) {

  /** Prompts to train on. */
  static final int TRAINING = 4096;

  /** Prompts of the warm start. */
  static final int SUPERVISED = 50_000;

  static TaskPrompts of(SyntheticTask task, int heldOut, long seed) {
    List<PromptExample> all = task.generate(heldOut + SUPERVISED, seed);
    return new TaskPrompts(
        all.subList(0, heldOut),
        all.subList(heldOut, heldOut + TRAINING),
        all.subList(heldOut, all.size()));
  }
}
