package org.p3ostream.deploy.experiment.plan;

import java.util.Map;
import java.util.TreeMap;

/**
 * An algorithm as it takes part.
 *
 * @param name lower case, part of topic names
 * @param title for people; empty takes the name
 * @param settings {@code path: value}, over those of the plan
 */
public record Contender(String name, String title, Map<String, String> settings) {
  public Contender {
    title = title.isEmpty() ? name : title;
    settings = new TreeMap<>(settings);
  }

  /** What an entry of {@code algorithms} need not say; its name it must. */
  public static Contender defaults() {
    return new Contender("", "", Map.of());
  }

  /** Ascending by their paths. */
  @Override
  public Map<String, String> settings() {
    return new TreeMap<>(settings);
  }
}
