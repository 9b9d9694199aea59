package org.p3ostream.learner.config;

/**
 * Where prompts come from.
 *
 * @param file JSONL, one object with {@code prompt} and {@code answer} per line
 * @param reward reward function of the prompts: exact-match, numeric or regex
 */
public record PromptsConfig(String file, String reward) {

  public static PromptsConfig defaults() {
    return new PromptsConfig("prompts.jsonl", "exact-match");
  }
}
