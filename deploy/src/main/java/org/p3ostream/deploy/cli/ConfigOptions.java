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
    return ConfigLoader.load(file, overrides);
  }
}
