package org.p3ostream.policy.model;

import ai.djl.Device;
import ai.djl.ndarray.types.DataType;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.tests.invariance.InvarianceMatrix;

/** Models with one guard broken. */
public final class MutantModels {

  private MutantModels() {}

  /** A shard masks as if its first query were the first of the sequence. */
  public static final class OffsetForgotten extends InvarianceMatrix.Product {
    @Override
    public CausalLm model(DataType dtype, ContextShards shards) {
      ModelConfig config = NanoModel.config();
      String source = CausalLm.source(config, dtype, shards);
      String broken = source.replace("torch.tril(every, start)", "torch.tril(every, 0)");
      if (broken.equals(source)) {
        throw new AssertionError("there is no such mask");
      }
      return new CausalLm(config, Device.cpu(), dtype, shards, broken);
    }
  }
}
