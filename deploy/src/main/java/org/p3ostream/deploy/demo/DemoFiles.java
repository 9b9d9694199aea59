package org.p3ostream.deploy.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigPrinter;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.learner.task.PromptExample;
import org.p3ostream.learner.task.PromptFile;

/** Fills the work directory with what the roles read. */
final class DemoFiles {

  private static final List<String> MODEL_FILES =
      List.of("config.json", "model.safetensors", "tokenizer.json");

  private DemoFiles() {}

  /** Writes model, prompts and configuration. */
  static void write(DemoDirectory directory, DemoOptions options, P3oConfig config) {
    try {
      Files.createDirectories(directory.scratch());
      copyModel(DemoRecipe.modelResource(options.task()), directory.model());
      Files.writeString(directory.configuration(), ConfigPrinter.toYaml(config));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot fill " + directory.root(), e);
    }
    writePrompts(directory, options);
  }

  /** One draw without repetition, cut in two: held-out prompts are never trained on. */
  private static void writePrompts(DemoDirectory directory, DemoOptions options) {
    List<PromptExample> prompts =
        options
            .task()
            .generate(DemoRecipe.HELD_OUT_PROMPTS + DemoRecipe.TRAINING_PROMPTS, options.seed());
    PromptFile.write(directory.heldOutPrompts(), prompts.subList(0, DemoRecipe.HELD_OUT_PROMPTS));
    PromptFile.write(
        directory.trainingPrompts(), prompts.subList(DemoRecipe.HELD_OUT_PROMPTS, prompts.size()));
  }

  private static void copyModel(String resource, Path target) throws IOException {
    Files.createDirectories(target);
    for (String name : MODEL_FILES) {
      String path = "/" + resource + "/" + name;
      try (InputStream file = DemoFiles.class.getResourceAsStream(path)) {
        if (file == null) {
          throw new ConfigException(
              "--task: no warm-started model ships for it ("
                  + path
                  + "); csum8 and sort8 have one");
        }
        Files.copy(file, target.resolve(name));
      }
    }
  }
}
