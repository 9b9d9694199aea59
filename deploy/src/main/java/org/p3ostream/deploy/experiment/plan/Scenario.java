package org.p3ostream.deploy.experiment.plan;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A way in which what is trained on differs from what is trained.
 *
 * @param name lower case, part of topic names
 * @param title for people; empty takes the name
 * @param level where it stands on the scale of {@link ExperimentPlan#sweep}; null without one
 * @param settings {@code path: value}, over those of the plan
 * @param expect what its runs must show
 */
public record Scenario(
    String name,
    String title,
    @Nullable Double level,
    Map<String, String> settings,
    Expectation expect) {
  public Scenario {
    title = title.isEmpty() ? name : title;
    settings = new TreeMap<>(settings);
  }

  /** What an entry of {@code scenarios} need not say; its name it must. */
  public static Scenario defaults() {
    return new Scenario("", "", null, Map.of(), Expectation.defaults());
  }

  /** Ascending by their paths. */
  @Override
  public Map<String, String> settings() {
    return new TreeMap<>(settings);
  }
}
