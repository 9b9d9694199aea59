package org.p3ostream.deploy.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.workdirectory.WorkDirectory;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.PromptFile;

/** Fills the work directory with what the roles read. */
final class DemoFiles {

  private static final List<String> MODEL_FILES =
      List.of("config.json", "model.safetensors", "tokenizer.json");

  private DemoFiles() {}

  /**
   * Writes the configuration, and model and prompts where they are missing: what a run began with
   * stays.
   */
  static void write(WorkDirectory directory, DemoOptions options, P3oConfig config) {
    try {
      Files.createDirectories(directory.scratch());
      copyModel(DemoRecipe.modelResource(options.task()), directory);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot fill " + directory.root(), e);
    }
    writePrompts(directory, options);
    String yaml = ConfigPrinter.toYaml(config);
    directory.writeWhole(directory.configuration(), part -> Files.writeString(part, yaml));
  }

  /** One draw without repetition, cut in two: held-out prompts are never trained on. */
  private static void writePrompts(WorkDirectory directory, DemoOptions options) {
    List<PromptExample> prompts =
        options
            .task()
            .generate(DemoRecipe.HELD_OUT_PROMPTS + DemoRecipe.TRAINING_PROMPTS, options.seed());
    int cut = DemoRecipe.HELD_OUT_PROMPTS;
    writeOnce(directory, directory.heldOutPrompts(), prompts.subList(0, cut));
    writeOnce(directory, directory.trainingPrompts(), prompts.subList(cut, prompts.size()));
  }

  private static void writeOnce(WorkDirectory directory, Path file, List<PromptExample> prompts) {
    if (!Files.exists(file)) {
      directory.writeWhole(file, part -> PromptFile.write(part, prompts));
    }
  }

  private static void copyModel(String resource, WorkDirectory directory) throws IOException {
    Files.createDirectories(directory.model());
    for (String name : MODEL_FILES) {
      String path = "/" + resource + "/" + name;
      try (InputStream file = DemoFiles.class.getResourceAsStream(path)) {
        if (file == null) {
          throw new ConfigException(
              "--task: no warm-started model ships for it ("
                  + path
                  + "); csum8 and sort8 have one");
        }
        Path target = directory.model().resolve(name);
        if (!Files.exists(target)) {
          directory.writeWhole(
              target, part -> Files.copy(file, part, StandardCopyOption.REPLACE_EXISTING));
        }
      }
    }
  }
}
