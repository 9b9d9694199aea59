package org.p3ostream.learner.ledger;

import java.util.Map;
import java.util.TreeMap;

/** Keys of a definition that a run keeps from its first event to its last, and why. */
final class FixedKeys {
  private static final String WEIGHTS = "the weights are those of the run's model";

  static final Map<String, String> REASONS =
      new TreeMap<>(
          Map.of(
              "run.seed", "prompts and sampling seeds are functions of it",
              "model.hash", WEIGHTS,
              "model.initialWeightsSha256", WEIGHTS,
              "model.tokenizerHash", "the tokens of dispatched prompts are the tokenizer's",
              "dispatch.groupsPerWindow", "group ids are counted in windows of this size",
              "dispatch.maxStaleness", "the windows that it asks for are dispatched already"));

  private FixedKeys() {}
}
