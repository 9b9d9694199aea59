package org.p3ostream.policy.model;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrays;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;

/**
 * The decoder once more, slow and obvious: float64, one head at a time, each parameter taken by its
 * HuggingFace name. Oracle for the TorchScript one; no gradients.
 */
final class ReferenceDecoder {

  private static final double MASKED = -1e30;

  private final ModelConfig config;
  private final float[] weights;
  private final NDManager manager;

  ReferenceDecoder(ModelConfig config, float[] weights, NDManager manager) {
    this.config = config;
    this.weights = weights;
    this.manager = manager;
  }

  /** ids int64 [B, T] -> logits [B, T, V]. */
  NDArray logits(NDArray ids) {
    NDArray embedding = parameter("model.embed_tokens.weight", config.vocabSize());
    NDArray x = embedding.get(ids); // [B, T, H]
    for (int layer = 0; layer < config.layers(); layer++) {
      String prefix = "model.layers." + layer + ".";
      NDArray normed = rmsNorm(x, prefix + "input_layernorm.weight");
      x = x.add(attention(normed, prefix + "self_attn."));
      x = x.add(mlp(rmsNorm(x, prefix + "post_attention_layernorm.weight"), prefix + "mlp."));
    }
    NDArray head =
        config.tiedEmbeddings() ? embedding : parameter("lm_head.weight", config.vocabSize());
    return linear(rmsNorm(x, "model.norm.weight"), head);
  }

  private NDArray attention(NDArray x, String prefix) {
    int d = config.headDim();
    NDArray q = linear(x, parameter(prefix + "q_proj.weight", config.attentionHeads() * d));
    NDArray k = linear(x, parameter(prefix + "k_proj.weight", config.keyValueHeads() * d));
    NDArray v = linear(x, parameter(prefix + "v_proj.weight", config.keyValueHeads() * d));
    NDArray mask = causalMask(x.getShape().get(1)); // [T, T]
    NDList heads = new NDList();
    for (int head = 0; head < config.attentionHeads(); head++) {
      int group = head / (config.attentionHeads() / config.keyValueHeads());
      NDArray qh = rotate(rmsNorm(columns(q, head * d, d), prefix + "q_norm.weight")); // [B, T, d]
      NDArray kh = rotate(rmsNorm(columns(k, group * d, d), prefix + "k_norm.weight"));
      NDArray vh = columns(v, group * d, d);
      NDArray scores = qh.matMul(kh.transpose(0, 2, 1)).div(Math.sqrt(d)).add(mask); // [B, T, T]
      heads.add(scores.softmax(-1).matMul(vh));
    }
    return linear(
        NDArrays.concat(heads, -1), parameter(prefix + "o_proj.weight", config.hiddenSize()));
  }

  private NDArray mlp(NDArray x, String prefix) {
    NDArray gate = linear(x, parameter(prefix + "gate_proj.weight", config.intermediateSize()));
    NDArray up = linear(x, parameter(prefix + "up_proj.weight", config.intermediateSize()));
    NDArray silu = gate.div(gate.neg().exp().add(1.0));
    return linear(silu.mul(up), parameter(prefix + "down_proj.weight", config.hiddenSize()));
  }

  /** x / sqrt(mean(x²) + eps) · weight, over the last axis. */
  private NDArray rmsNorm(NDArray x, String name) {
    NDArray scale = x.square().mean(new int[] {-1}, true).add(config.rmsNormEps()).sqrt();
    NDArray weight = manager.create(TinyModels.named(config, weights, name));
    return x.div(scale).mul(weight.toType(DataType.FLOAT64, true));
  }

  /** Pairs (i, i + d/2) of position t turned by t · theta^(-2i/d). */
  private NDArray rotate(NDArray x) {
    int length = (int) x.getShape().get(1);
    int half = config.headDim() / 2;
    double[] cos = new double[length * half];
    double[] sin = new double[length * half];
    for (int t = 0; t < length; t++) {
      for (int i = 0; i < half; i++) {
        double angle = t / Math.pow(config.ropeTheta(), 2.0 * i / config.headDim());
        cos[t * half + i] = Math.cos(angle);
        sin[t * half + i] = Math.sin(angle);
      }
    }
    NDArray c = manager.create(cos, new Shape(length, half));
    NDArray s = manager.create(sin, new Shape(length, half));
    NDArray first = columns(x, 0, half);
    NDArray second = columns(x, half, half);
    return NDArrays.concat(
        new NDList(first.mul(c).sub(second.mul(s)), second.mul(c).add(first.mul(s))), -1);
  }

  private NDArray causalMask(long length) {
    double[] mask = new double[(int) (length * length)];
    for (int query = 0; query < length; query++) {
      for (int key = query + 1; key < length; key++) {
        mask[(int) (query * length + key)] = MASKED;
      }
    }
    return manager.create(mask, new Shape(length, length));
  }

  private NDArray parameter(String name, int rows) {
    float[] values = TinyModels.named(config, weights, name);
    return manager
        .create(values, new Shape(rows, values.length / rows))
        .toType(DataType.FLOAT64, true);
  }

  private static NDArray columns(NDArray x, int start, int width) {
    return x.get(new NDIndex(":, :, " + start + ":" + (start + width)));
  }

  private static NDArray linear(NDArray x, NDArray weight) {
    return x.matMul(weight.transpose());
  }
}
