package org.p3ostream.learner.config;

/**
 * One data set of prompts. {@link PromptsConfig} holds the rules, since it knows which one it is.
 *
 * @param name first part of its prompt ids; at most 64 letters, digits, '.', '_' and '-'
 * @param file JSONL, one object with {@code prompt} and {@code answer} per line
 * @param reward reward function of its prompts
 * @param weight share of the groups, in proportion to the weights of the other data sets, > 0
 */
public record DatasetConfig(String name, String file, String reward, double weight) {

  /** What an entry of {@code prompts.datasets} need not say; name and file it must. */
  public static DatasetConfig defaults() {
    return new DatasetConfig("", "", "exact-match", 1);
  }
}
