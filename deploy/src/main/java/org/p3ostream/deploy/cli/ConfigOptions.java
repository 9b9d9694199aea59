package org.p3ostream.deploy.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import picocli.CommandLine.Option;

/** Options of every command that takes a configuration. */
final class ConfigOptions {

  @Option(names = "--config", paramLabel = "FILE", description = "YAML configuration file.")
  private @Nullable Path file;

  @Option(
      names = "--set",
      paramLabel = "PATH=VALUE",
      description = "Overrides one value, for instance dispatch.maxStaleness=2. Repeatable.")
  private List<String> overrides = new ArrayList<>();

  /** The resolved configuration. */
  P3oConfig load() {
    return load(List.of());
  }

  /**
   * The resolved configuration.
   *
   * @param further overrides that come after those of the command line
   */
  P3oConfig load(List<String> further) {
    List<String> all = new ArrayList<>(overrides);
    all.addAll(further);
    return ConfigLoader.load(file, all);
  }

  /**
   * The same with another objective, so that nothing the file says of its own is taken for it.
   *
   * @param algorithm name of the objective; null for the one that is configured
   */
  P3oConfig load(@Nullable String algorithm, List<String> further) {
    if (algorithm == null) {
      return load(further);
    }
    List<String> all = new ArrayList<>(List.of("algorithm.name=" + algorithm));
    all.addAll(overrides);
    all.addAll(further);
    return ConfigLoader.loadWithout("algorithm", file, all);
  }
}
