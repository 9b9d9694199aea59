package org.p3ostream.deploy.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.learner.task.PromptFile;
import org.p3ostream.learner.task.SyntheticTask;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Option;

/** {@code p3o prompts}. */
@Command(
    name = "prompts",
    description = "Writes prompts with answers of a synthetic task as JSONL.",
    mixinStandardHelpOptions = true,
    showDefaultValues = true)
final class PromptsCommand implements Callable<Integer> {

  @Option(names = "--task", description = "What to ask: ${COMPLETION-CANDIDATES}.")
  private SyntheticTask task = SyntheticTask.CSUM8;

  @Option(names = "--count", description = "How many different prompts.")
  private int count = 4096;

  @Option(names = "--seed", description = "Seed of the prompts.")
  private long seed = 42;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      required = true,
      showDefaultValue = Visibility.NEVER,
      description = "Where they are written; must not exist.")
  private Path out = Path.of("prompts.jsonl");

  @Override
  public Integer call() {
    if (count < 1) {
      throw new ConfigException("--count: " + count + " must be >= 1");
    }
    if (Files.exists(out)) {
      throw new ConfigException("--out: " + out + " exists already");
    }
    try {
      PromptFile.write(out, task.generate(count, seed));
    } catch (IllegalArgumentException e) {
      throw new ConfigException("--count: " + e.getMessage());
    }
    return ExitCode.DONE;
  }
}
