package org.p3ostream.rolloutproducer.generation;

import org.p3ostream.rolloutproducer.snapshot.PolicyWeights;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;

/** Where rollout groups come from. Confined to the generation thread. */
public interface GroupSource extends AutoCloseable {

  /** The group of {@code task}, every token sampled by {@code weights}; never an exception. */
  RolloutGroup generate(PromptTask task, PolicyWeights weights);

  @Override
  void close();
}
