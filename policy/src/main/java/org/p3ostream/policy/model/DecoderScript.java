package org.p3ostream.policy.model;

import ai.djl.ndarray.types.DataType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.p3ostream.policy.torch.ScriptResource;

/**
 * TorchScript text of the decoder for one configuration, and of modules built on top of it. The
 * texts are resources with {@code ${NAME}} where a figure of the configuration goes.
 */
public final class DecoderScript {

  private static final int FLOAT32 = 6; // torch's scalar type codes
  private static final int FLOAT64 = 7;

  private DecoderScript() {}

  /**
   * The decoder's methods followed by the caller's.
   *
   * @param dtype float32 or float64
   * @param owner class beside which the resource lies
   * @param resource methods that call the decoder's
   */
  public static String with(ModelConfig config, DataType dtype, Class<?> owner, String resource) {
    return with(config, dtype, Map.of(), owner, resource);
  }

  /**
   * The same with figures of the caller's own.
   *
   * @param more by the name of their placeholder
   */
  static String with(
      ModelConfig config,
      DataType dtype,
      Map<String, String> more,
      Class<?> owner,
      String resource) {
    Map<String, String> figures = figures(config, dtype);
    figures.putAll(more);
    return ScriptResource.of(DecoderScript.class, "decoder.torchscript", figures)
        + "\n"
        + ScriptResource.of(owner, resource, figures);
  }

  private static Map<String, String> figures(ModelConfig config, DataType dtype) {
    int heads = config.attentionHeads();
    int keyValueHeads = config.keyValueHeads();
    int headDim = config.headDim();
    List<Long> sizes = splitSizes(config);
    int finalNorm = 1 + 8 * config.layers();
    Map<String, Object> figures = new LinkedHashMap<>();
    figures.put("SPLIT_SIZES", sizes);
    figures.put("FINAL_NORM", finalNorm);
    figures.put("LAST_NORM", 1 + 7 * config.layers());
    figures.put("HEAD", config.tiedEmbeddings() ? 0 : finalNorm + 1);
    figures.put("DTYPE", scalarType(dtype));
    figures.put("VOCAB", config.vocabSize());
    figures.put("HIDDEN", config.hiddenSize());
    figures.put("INNER", config.intermediateSize());
    figures.put("TWICE_INNER", 2L * config.intermediateSize());
    figures.put("LAYERS", config.layers());
    figures.put("HEADS", heads);
    figures.put("KV_HEADS", keyValueHeads);
    figures.put("ALL_HEADS", heads + 2 * keyValueHeads);
    figures.put("QK_HEADS", heads + keyValueHeads);
    figures.put("GROUP", config.queryHeadsPerGroup());
    figures.put("HEAD_DIM", headDim);
    figures.put("HALF_HEAD", headDim / 2);
    figures.put("QUERY", (long) heads * headDim);
    figures.put("QKV", (long) (heads + 2 * keyValueHeads) * headDim);
    figures.put("HIDDEN_EPS", config.hiddenSize() * config.rmsNormEps());
    figures.put("HEAD_EPS", headDim * config.rmsNormEps());
    figures.put("ROOT_HIDDEN", Math.sqrt(config.hiddenSize()));
    figures.put("ROOT_HEAD_DIM", Math.sqrt(headDim));
    figures.put("LOG_FREQUENCY_STEP", -2 * Math.log(config.ropeTheta()) / headDim);
    figures.put("EOS", config.eosTokenId());
    Map<String, String> texts = new LinkedHashMap<>();
    figures.forEach((name, value) -> texts.put(name, value.toString().replace('E', 'e')));
    return texts;
  }

  /** Sizes of the layout's slices, with q, k, v and gate, up taken together. */
  private static List<Long> splitSizes(ModelConfig config) {
    List<Long> sizes = new ArrayList<>();
    for (ParameterLayout.Slice slice : ParameterLayout.of(config).slices()) {
      if (slice.name().matches(".*\\.(k_proj|v_proj|up_proj)\\.weight")) {
        sizes.set(sizes.size() - 1, sizes.get(sizes.size() - 1) + slice.elementCount());
      } else {
        sizes.add(slice.elementCount());
      }
    }
    return sizes;
  }

  private static int scalarType(DataType dtype) {
    return switch (dtype) {
      case FLOAT32 -> FLOAT32;
      case FLOAT64 -> FLOAT64;
      default ->
          throw new IllegalArgumentException("dtype: " + dtype + " is not float32 or float64");
    };
  }
}
