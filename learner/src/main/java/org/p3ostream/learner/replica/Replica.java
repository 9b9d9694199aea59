package org.p3ostream.learner.replica;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDScope;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.learner.forward.PolicyForward;
import org.p3ostream.learner.forward.PolicyOutputs;
import org.p3ostream.learner.forward.TokenFigures;
import org.p3ostream.learner.loss.LossSum;
import org.p3ostream.learner.loss.TorchObjective;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.policy.torch.Autograd;

/**
 * One copy of the policy and its share of a window: forward, then backward once the contexts are
 * known. Confined to one thread.
 */
public final class Replica implements AutoCloseable {

  private final ParameterLeaf leaf;
  private final PolicyForward forward;
  private final TorchObjective objective;
  private final LossSum lossSum;
  private final AutoCloseable owned;
  private final List<@Nullable PolicyOutputs> kept = new ArrayList<>();
  private List<MicroBatch> share = List.of();
  private int forwardAgain;
  private @Nullable NDScope scope; // of the share in work: graphs refer to arrays made in it

  /**
   * Takes over all that it is given.
   *
   * @param owned closed last: the model and the parameters if they are this replica's own
   */
  Replica(
      ParameterLeaf leaf,
      PolicyForward forward,
      TorchObjective objective,
      LossSum lossSum,
      AutoCloseable owned) {
    this.leaf = leaf;
    this.forward = forward;
    this.objective = objective;
    this.lossSum = lossSum;
    this.owned = owned;
  }

  /** Its parameters and their gradient. */
  public ParameterLeaf leaf() {
    return leaf;
  }

  /**
   * Runs micro-batches forward. Graphs are kept while they fit.
   *
   * @param graphTokens tokens whose graphs may be kept, padding included
   * @return per micro-batch its figures; null for one without a token, which is passed over
   */
  public List<@Nullable TokenFigures> forward(List<MicroBatch> batches, int graphTokens) {
    share = batches;
    scope = new NDScope();
    scope.suppressNotUsedWarning();
    List<@Nullable TokenFigures> figures = new ArrayList<>();
    int budget = graphTokens;
    for (MicroBatch batch : batches) {
      if (batch.validTokens() == 0) {
        kept.add(null);
        figures.add(null);
      } else if (batch.paddedTokens() <= budget) {
        budget -= batch.paddedTokens();
        PolicyOutputs outputs = forward.withGraph(batch);
        kept.add(outputs);
        figures.add(TokenFigures.of(outputs));
      } else {
        kept.add(null);
        try (NDScope passing = new NDScope()) {
          passing.suppressNotUsedWarning();
          figures.add(TokenFigures.of(forward.of(batch)));
        }
      }
    }
    return figures;
  }

  /**
   * Back-propagates the micro-batches of the last {@link #forward} in order; those whose graph was
   * not kept are run forward again. Gradients add up in the leaf. Stops before a loss that is not
   * finite.
   *
   * @param contexts one per micro-batch
   * @return loss of each micro-batch, divided by N; 0 for one without a token and after the stop
   */
  public double[] backward(List<StepContext> contexts) {
    double[] losses = new double[share.size()];
    for (int i = 0; i < losses.length; i++) {
      MicroBatch batch = share.get(i);
      if (batch.validTokens() > 0) {
        losses[i] = backward(batch, kept.get(i), contexts.get(i));
        if (!Double.isFinite(losses[i])) {
          break;
        }
      }
    }
    release();
    return losses;
  }

  private double backward(MicroBatch batch, @Nullable PolicyOutputs before, StepContext context) {
    try (NDScope passing = new NDScope()) {
      passing.suppressNotUsedWarning();
      PolicyOutputs outputs = before == null ? again(batch) : before;
      double value;
      try (Autograd recording = Autograd.record()) {
        NDArray tokenLosses = objective.tokenLosses(outputs, batch, context); // [N]
        NDArray loss = lossSum.of(tokenLosses, batch, context.validTokens()); // []
        value = loss.getDouble();
        if (Double.isFinite(value)) {
          Autograd.backward(loss);
        }
      }
      outputs.close();
      return value;
    }
  }

  private PolicyOutputs again(MicroBatch batch) {
    forwardAgain++;
    return forward.withGraph(batch);
  }

  /** Micro-batches run forward a second time so far. */
  int forwardAgain() {
    return forwardAgain;
  }

  /** Lets go of the share in work. */
  void release() {
    kept.clear();
    share = List.of();
    if (scope != null) {
      scope.close();
      scope = null;
    }
  }

  @Override
  public void close() throws Exception {
    forward.close();
    objective.close();
    lossSum.close();
    leaf.close();
    owned.close();
  }
}
