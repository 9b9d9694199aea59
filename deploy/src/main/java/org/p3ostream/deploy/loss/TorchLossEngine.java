package org.p3ostream.deploy.loss;

import ai.djl.Device;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import org.p3ostream.learner.loss.TorchLosses;
import org.p3ostream.learner.objective.Objective;
import org.p3ostream.learner.objective.StepContext;
import org.p3ostream.learner.objective.TokenBatch;
import org.p3ostream.learner.objective.TokenLosses;
import org.p3ostream.policy.torch.TorchRuntime;

/** The script that trains, on the CPU; belongs to the thread that made it. */
final class TorchLossEngine implements LossEngine {
  private final NDManager manager;
  private final TorchLosses losses;
  private final DataType dtype;

  /**
   * @param dtype of log π_θ
   */
  TorchLossEngine(Objective objective, DataType dtype) {
    TorchRuntime.start(1);
    TorchRuntime.prepareThread();
    this.manager = TorchRuntime.newManager(Device.cpu());
    this.losses = new TorchLosses(manager, objective);
    this.dtype = dtype;
  }

  @Override
  public TokenLosses evaluate(TokenBatch tokens, StepContext context) {
    return losses.evaluate(tokens, context, dtype);
  }

  @Override
  public void close() {
    losses.close();
    manager.close();
  }
}
