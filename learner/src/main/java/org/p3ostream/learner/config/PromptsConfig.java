package org.p3ostream.learner.config;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where prompts come from: one data set, by {@code file} and {@code reward}, or several.
 *
 * @param file JSONL, one object with {@code prompt} and {@code answer} per line; null with {@code
 *     datasets}
 * @param reward reward function of the prompts: exact-match, numeric or regex; null with {@code
 *     datasets}
 * @param datasets data sets to mix by their weights; null with {@code file}, which means one data
 *     set named {@value #ONLY}
 */
public record PromptsConfig(
    @Nullable String file,
    @Nullable String reward,
    @InsteadOf({"file", "reward"}) @Nullable List<DatasetConfig> datasets) {

  /** Name of the data set that {@code file} and {@code reward} describe. */
  public static final String ONLY = "train";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  public PromptsConfig {
    if (datasets == null) {
      require(
          file != null && !file.isBlank(), "prompts.file", "'" + file + "'", "must name a file");
      require(reward != null, "prompts.reward", reward, "must name a reward");
    } else {
      require(file == null, "prompts.file", file, "cannot stand beside prompts.datasets");
      require(reward == null, "prompts.reward", reward, "cannot stand beside prompts.datasets");
      require(!datasets.isEmpty(), "prompts.datasets", "[]", "must hold at least one data set");
      datasets = List.copyOf(datasets);
      requireSound(datasets);
    }
  }

  public static PromptsConfig defaults() {
    return single("prompts.jsonl", "exact-match");
  }

  /** One data set, named {@value #ONLY}. */
  public static PromptsConfig single(String file, String reward) {
    return new PromptsConfig(file, reward, null);
  }

  /** All data sets, whichever way they were given; never empty. */
  public List<DatasetConfig> all() {
    return file == null || reward == null || datasets != null
        ? List.copyOf(datasets == null ? List.of() : datasets)
        : List.of(new DatasetConfig(ONLY, file, reward, 1));
  }

  /**
   * Path in the configuration of a key of one data set.
   *
   * @param index position in {@link #all()}
   */
  public String path(int index, String key) {
    return datasets == null ? "prompts." + key : elementPath(index, key);
  }

  private static void requireSound(List<DatasetConfig> datasets) {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < datasets.size(); i++) {
      DatasetConfig dataset = datasets.get(i);
      require(
          NAME.matcher(dataset.name()).matches(),
          elementPath(i, "name"),
          "'" + dataset.name() + "'",
          "must be 1 to 64 letters, digits, '.', '_' or '-': prompt ids begin with it");
      require(
          names.add(dataset.name()),
          elementPath(i, "name"),
          "'" + dataset.name() + "'",
          "is the name of an earlier data set");
      require(!dataset.file().isBlank(), elementPath(i, "file"), "''", "must name a file");
      require(
          dataset.weight() > 0 && Double.isFinite(dataset.weight()),
          elementPath(i, "weight"),
          dataset.weight(),
          "must be > 0 and finite");
    }
  }

  private static String elementPath(int index, String key) {
    return "prompts.datasets[" + index + "]." + key;
  }

  private static void require(boolean holds, String path, @Nullable Object value, String rule) {
    if (!holds) {
      throw new IllegalArgumentException(path + ": " + value + " " + rule);
    }
  }
}
