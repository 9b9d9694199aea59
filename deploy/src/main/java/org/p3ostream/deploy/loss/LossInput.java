package org.p3ostream.deploy.loss;

import java.util.List;
import java.util.Set;

/**
 * The tokens of one optimizer step.
 *
 * @param microBatches in the order of the file; an empty one is a dummy
 * @param unknownFields fields of tokens that were passed over
 * @param unknownKeys keys beside the micro-batches that were passed over
 */
record LossInput(
    List<TokenColumns> microBatches, Set<String> unknownFields, Set<String> unknownKeys) {

  /** Tokens, valid or not. */
  int tokens() {
    return microBatches.stream().mapToInt(TokenColumns::length).sum();
  }
}
