package org.p3ostream.learner.train;

import java.util.List;
import org.p3ostream.learner.window.BehaviorSampling;
import org.p3ostream.learner.window.TrainingResponse;

/**
 * Some responses of a window as arrays. Sequences are prompt and response without the last token,
 * right-padded to T columns; under a causal mask padding to the right changes nothing before it.
 * Per-token arrays are [N], one entry per valid token, in group, response, token order.
 */
final class MicroBatch {
  final int rows; // B
  final int columns; // T
  final List<TrainingResponse> responses; // [B]
  final List<String> producerIds; // [B]
  final long[] ids; // [B·T]
  final long[] positions; // [N], b·T + t of the hidden state that predicts the token
  final long[] targets; // [N]
  final int[] sequences; // [N], b: which row the token belongs to
  final double[] behaviorLogprobs; // [N], nats
  final double[] advantages; // [N]
  final long[] policyVersions; // [N]

  MicroBatch(
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
  BehaviorSampling sampling(int n) {
    return responses.get(sequences[n]).sampling();
  }

  /** Who sampled token n. */
  String producerId(int n) {
    return producerIds.get(sequences[n]);
  }

  /** A micro-batch of nothing, for a replica that has none in a round: no row and no token. */
  static MicroBatch dummy() {
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
  int column(int n) {
    return (int) (positions[n] % columns);
  }

  /** N: valid tokens. */
  int validTokens() {
    return targets.length;
  }

  /** B·T: tokens the forward pass touches, padding included. */
  int paddedTokens() {
    return rows * columns;
  }
}
