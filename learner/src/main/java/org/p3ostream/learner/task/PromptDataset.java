package org.p3ostream.learner.task;

import java.util.List;

/**
 * A data set as the schedule sees it.
 *
 * @param name first part of its prompt ids
 * @param reward name of its reward function
 * @param weight share of the groups, in proportion to the weights of the other data sets
 * @param prompts training prompts, not empty
 */
public record PromptDataset(
    String name, String reward, double weight, List<PromptExample> prompts) {
  public PromptDataset {
    prompts = List.copyOf(prompts);
    if (prompts.isEmpty()) {
      throw new IllegalArgumentException("data set " + name + " holds no prompt");
    }
  }
}
