package org.p3ostream.learner.config;

/**
 * Identity of a run.
 *
 * @param id run id, written into every record; records of another run are refused
 * @param seed seed of prompts and sampling
 * @param topicPrefix put before every topic name
 */
public record RunConfig(String id, long seed, String topicPrefix) {
  public RunConfig {
    if (id.isBlank()) {
      throw new IllegalArgumentException("run.id: must not be blank");
    }
  }

  public static RunConfig defaults() {
    return new RunConfig("p3o", 42, "p3o.");
  }
}
