package org.p3ostream.rolloutproducer.generation;

import java.util.List;
import java.util.concurrent.CancellationException;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RolloutGroup;
import org.p3ostream.schemas.snapshot.PolicyWeights;

/**
 * Where rollout groups come from. Confined to the generation thread, but for {@link #arrived} and
 * {@link #abandon()}.
 */
public interface GroupSource extends AutoCloseable {

  /**
   * The group of {@code task}; never an exception but one.
   *
   * @param weights that sample it, one for each variant of the {@link Mixture}
   * @throws CancellationException if the source was abandoned before the group was done
   */
  RolloutGroup generate(PromptTask task, List<PolicyWeights> weights);

  /**
   * Newer weights are at hand: a group may go on with them. Safe from any thread.
   *
   * @param newest as new as those of any call before
   */
  void arrived(PolicyWeights newest);

  /**
   * Nobody waits for a group any more: the one in hand ends soon, and there will be no other. Safe
   * from any thread.
   */
  void abandon();

  @Override
  void close();
}
