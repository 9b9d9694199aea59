package org.p3ostream.deploy.experiment.run;

import java.nio.file.Path;

/**
 * A warm start that is there.
 *
 * @param hash SHA-256 of its recipe
 * @param directory where its files are
 * @param heldOutReward of its weights
 * @param weightsSha256 digest of its weights
 */
record PreparedStart(String hash, Path directory, double heldOutReward, String weightsSha256) {

  Path model() {
    return directory.resolve("model");
  }

  Path trainingPrompts() {
    return directory.resolve("prompts.jsonl");
  }

  Path heldOutPrompts() {
    return directory.resolve("held-out.jsonl");
  }
}
