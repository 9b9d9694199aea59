package org.p3ostream.deploy.cli;

import org.jspecify.annotations.Nullable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.log.StepRange;
import picocli.CommandLine.Option;

/** Options that choose steps; a step is a window. */
final class StepRangeOptions {

  @Option(names = "--from", paramLabel = "STEP", description = "From this step on.")
  private @Nullable Long from;

  @Option(names = "--to", paramLabel = "STEP", description = "Up to this step, inclusive.")
  private @Nullable Long to;

  @Option(names = "--window", paramLabel = "W", description = "This window, or step, only.")
  private @Nullable Long window;

  /** The steps chosen; all if none were. */
  StepRange range() {
    if (window != null && (from != null || to != null)) {
      throw new ConfigException("--window: cannot stand beside --from or --to: it is one step");
    }
    if (from != null && to != null && from > to) {
      throw new ConfigException("--from: " + from + " must not be above --to, " + to);
    }
    return window == null ? new StepRange(from, to) : new StepRange(window, window);
  }

  /** The same in words, for messages; empty if all are chosen. */
  String words() {
    return word(" of --window ", window) + word(" from --from ", from) + word(" to --to ", to);
  }

  private static String word(String name, @Nullable Long value) {
    return value == null ? "" : name + value;
  }
}
