package org.p3ostream.policy.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Where each named parameter lies in the flat vector. Names and shapes are HuggingFace's; q, k, v
 * and gate, up lie side by side, so that one matrix product serves each group.
 */
public final class ParameterLayout {

  /**
   * One named parameter.
   *
   * @param name HuggingFace name
   * @param shape row-major shape
   * @param elementOffset index of its first element in the flat vector
   */
  public record Slice(String name, List<Long> shape, long elementOffset) {
    public Slice {
      shape = List.copyOf(shape);
    }

    /** Elements of the parameter. */
    public long elementCount() {
      return shape.stream().reduce(1L, Math::multiplyExact);
    }
  }

  private final List<Slice> slices;
  private final int size;
  private final String modelHash;

  private ParameterLayout(List<Slice> slices, int size, String modelHash) {
    this.slices = slices;
    this.size = size;
    this.modelHash = modelHash;
  }

  /**
   * Layout of a model.
   *
   * @throws IllegalArgumentException if the model has more parameters than a Java array can hold
   */
  public static ParameterLayout of(ModelConfig config) {
    long hidden = config.hiddenSize();
    long queries = (long) config.attentionHeads() * config.headDim();
    long keys = (long) config.keyValueHeads() * config.headDim();
    long inner = config.intermediateSize();
    Builder layout = new Builder();
    layout.add("model.embed_tokens.weight", config.vocabSize(), hidden);
    for (int layer = 0; layer < config.layers(); layer++) {
      String prefix = "model.layers." + layer + ".";
      layout.add(prefix + "input_layernorm.weight", hidden);
      layout.add(prefix + "self_attn.q_proj.weight", queries, hidden);
      layout.add(prefix + "self_attn.k_proj.weight", keys, hidden);
      layout.add(prefix + "self_attn.v_proj.weight", keys, hidden);
      layout.add(prefix + "self_attn.q_norm.weight", config.headDim());
      layout.add(prefix + "self_attn.k_norm.weight", config.headDim());
      layout.add(prefix + "self_attn.o_proj.weight", hidden, queries);
      layout.add(prefix + "post_attention_layernorm.weight", hidden);
      layout.add(prefix + "mlp.gate_proj.weight", inner, hidden);
      layout.add(prefix + "mlp.up_proj.weight", inner, hidden);
      layout.add(prefix + "mlp.down_proj.weight", hidden, inner);
    }
    layout.add("model.norm.weight", hidden);
    if (!config.tiedEmbeddings()) {
      layout.add("lm_head.weight", config.vocabSize(), hidden);
    }
    return layout.build(config);
  }

  /** Parameters in layout order. */
  public List<Slice> slices() {
    return slices;
  }

  /** P: elements of the flat vector. */
  public int size() {
    return size;
  }

  /** SHA-256, hexadecimal, of architecture and layout: equal for weights that are exchangeable. */
  public String modelHash() {
    return modelHash;
  }

  private static final class Builder {
    private final List<Slice> slices = new ArrayList<>();
    private long next;

    void add(String name, long... shape) {
      Slice slice = new Slice(name, Arrays.stream(shape).boxed().toList(), next);
      slices.add(slice);
      next = Math.addExact(next, slice.elementCount());
    }

    ParameterLayout build(ModelConfig config) {
      if (next > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            next + " parameters are more than the " + Integer.MAX_VALUE + " of one flat vector");
      }
      return new ParameterLayout(List.copyOf(slices), (int) next, hash(config, slices));
    }
  }

  /** Everything that decides what a weight means; lengths and special tokens do not. */
  private static String hash(ModelConfig config, List<Slice> slices) {
    StringBuilder text = new StringBuilder("qwen3\n");
    text.append("attentionHeads=").append(config.attentionHeads()).append('\n');
    text.append("keyValueHeads=").append(config.keyValueHeads()).append('\n');
    text.append("headDim=").append(config.headDim()).append('\n');
    text.append("rmsNormEps=").append(config.rmsNormEps()).append('\n');
    text.append("ropeTheta=").append(config.ropeTheta()).append('\n');
    text.append("tiedEmbeddings=").append(config.tiedEmbeddings()).append('\n');
    for (Slice slice : slices) {
      text.append(slice.name()).append(slice.shape()).append('@').append(slice.elementOffset());
      text.append('\n');
    }
    try {
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
