package org.p3ostream.learner.loss;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import java.util.stream.IntStream;
import org.p3ostream.learner.batch.MicroBatch;
import org.p3ostream.policy.model.ContextShards;
import org.p3ostream.policy.torch.ScriptModule;

/**
 * Sum of token losses over a micro-batch, as partial sums of its context shards.
 *
 * <pre>  loss = (1/N) Σ_c Σ_{t in shard c} tokenLoss_t,  N valid tokens of the whole step  </pre>
 *
 * float64.
 */
public final class LossSum implements AutoCloseable {

  private static final String SCRIPT =
      """
      def whole(self, losses: Tensor, count: Tensor) -> Tensor:
        return torch.div(torch.sum(losses), count)
      def by_shard(self, losses: Tensor, count: Tensor, shard: Tensor, zeros: Tensor) -> Tensor:
        partial = torch.index_add(zeros, 0, torch.clone(shard), losses)
        return torch.div(torch.sum(partial), count)
      """;

  private final NDManager manager;
  private final ContextShards shards;
  private final ScriptModule script;

  /**
   * @param shards by which the partial sums are taken
   */
  public LossSum(NDManager manager, ContextShards shards) {
    this.manager = manager;
    this.shards = shards;
    this.script = ScriptModule.compile(manager, SCRIPT);
  }

  /**
   * @param tokenLosses [N], float64, with a graph; must stay open until after backward
   * @param validTokens N of the whole step
   * @return 0-dimensional
   */
  public NDArray of(NDArray tokenLosses, MicroBatch batch, long validTokens) {
    NDArray count = manager.create((double) validTokens); // []
    if (shards.count() == 1) {
      return script.call("whole", tokenLosses, count).head();
    }
    long[] shardOfToken =
        IntStream.range(0, batch.validTokens())
            .mapToLong(n -> shards.of(batch.column(n), batch.columns))
            .toArray();
    return script
        .call(
            "by_shard",
            tokenLosses,
            count,
            manager.create(shardOfToken), // [N]
            manager.create(new double[shards.count()])) // [C]
        .head();
  }

  @Override
  public void close() {
    script.close();
  }
}
