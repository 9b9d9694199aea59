package org.p3ostream.learner.batch;

import java.util.List;
import org.p3ostream.learner.window.BehaviorSampling;
import org.p3ostream.learner.window.TrainingResponse;

/**
 * Some responses of a window as arrays. Sequences are prompt and response without the last token,
 * right-padded to T columns; under a causal mask padding to the right changes nothing before it.
 * Per-token arrays are [N], one entry per valid token, in group, response, token order.
 */
public final class MicroBatch {
  public final int rows; // B
  public final int columns; // T
  public final List<TrainingResponse> responses; // [B]
  public final List<String> producerIds; // [B]
  public final long[] ids; // [B·T]
  public final long[] positions; // [N], b·T + t of the hidden state that predicts the token
  public final long[] targets; // [N]
  public final int[] sequences; // [N], b: which row the token belongs to
  public final double[] behaviorLogprobs; // [N], nats
  public final double[] advantages; // [N]
  public final long[] policyVersions; // [N]

  /** Takes over the arrays: they are read by every replica and changed by none. */
  public MicroBatch(
      int rows,
      int columns,
      List<TrainingResponse> responses,
      List<String> producerIds,
      long[] ids,
      long[] positions,
      long[] targets,
      int[] sequences,
      double[] behaviorLogprobs,
      double[] advantages,
      long[] policyVersions) {
    this.rows = rows;
    this.columns = columns;
    this.responses = responses;
    this.producerIds = producerIds;
    this.ids = ids;
    this.positions = positions;
    this.targets = targets;
    this.sequences = sequences;
    this.behaviorLogprobs = behaviorLogprobs;
    this.advantages = advantages;
    this.policyVersions = policyVersions;
  }

  /** How the response that token n belongs to was sampled. */
  public BehaviorSampling sampling(int n) {
    return responses.get(sequences[n]).sampling();
  }

  /** Who sampled token n. */
  public String producerId(int n) {
    return producerIds.get(sequences[n]);
  }

  /** A micro-batch of nothing, for a replica that has none in a round: no row and no token. */
  public static MicroBatch dummy() {
    return new MicroBatch(
        0,
        0,
        List.of(),
        List.of(),
        new long[0],
        new long[0],
        new long[0],
        new int[0],
        new double[0],
        new double[0],
        new long[0]);
  }

  /** Column t of the hidden state that predicts token n. */
  public int column(int n) {
    return (int) (positions[n] % columns);
  }

  /** N: valid tokens. */
  public int validTokens() {
    return targets.length;
  }

  /** B·T: tokens the forward pass touches, padding included. */
  public int paddedTokens() {
    return rows * columns;
  }
}
