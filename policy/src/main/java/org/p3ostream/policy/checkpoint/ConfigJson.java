package org.p3ostream.policy.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import org.p3ostream.policy.model.ModelConfig;

/** HuggingFace's {@code config.json} of a Qwen3 model. Keys that do not change the model pass. */
final class ConfigJson {

  private static final String MODEL_TYPE = "qwen3";
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private ConfigJson() {}

  /**
   * @throws IllegalArgumentException naming key, value and rule
   */
  static ModelConfig parse(byte[] json) {
    JsonNode root;
    try {
      root = JSON.readTree(json);
    } catch (IOException e) {
      throw new IllegalArgumentException("no JSON: " + e.getMessage(), e);
    }
    requireSupported(root);
    int eosTokenId = token(root, "eos_token_id");
    return new ModelConfig(
        integer(root, "vocab_size"),
        integer(root, "hidden_size"),
        integer(root, "intermediate_size"),
        integer(root, "num_hidden_layers"),
        integer(root, "num_attention_heads"),
        integer(root, "num_key_value_heads"),
        integer(root, "head_dim"),
        number(root, "rms_norm_eps"),
        ropeTheta(root),
        bool(root, "tie_word_embeddings"),
        integer(root, "max_position_embeddings"),
        eosTokenId,
        isAbsent(root, "pad_token_id") ? eosTokenId : token(root, "pad_token_id"));
  }

  static byte[] format(ModelConfig config) {
    ObjectNode root = JSON.createObjectNode();
    root.putArray("architectures").add("Qwen3ForCausalLM");
    root.put("model_type", MODEL_TYPE);
    root.put("vocab_size", config.vocabSize());
    root.put("hidden_size", config.hiddenSize());
    root.put("intermediate_size", config.intermediateSize());
    root.put("num_hidden_layers", config.layers());
    root.put("num_attention_heads", config.attentionHeads());
    root.put("num_key_value_heads", config.keyValueHeads());
    root.put("head_dim", config.headDim());
    root.put("hidden_act", "silu");
    root.put("attention_bias", false);
    root.put("rms_norm_eps", config.rmsNormEps());
    root.put("rope_theta", config.ropeTheta());
    root.put("tie_word_embeddings", config.tiedEmbeddings());
    root.put("max_position_embeddings", config.maxPositions());
    root.put("eos_token_id", config.eosTokenId());
    root.put("pad_token_id", config.padTokenId());
    root.put("torch_dtype", "float32");
    try {
      return JSON.writerWithDefaultPrettyPrinter().writeValueAsBytes(root);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree of plain values has a JSON form", e);
    }
  }

  /** Refuses what would make another model of the same weights. */
  private static void requireSupported(JsonNode root) {
    String type = root.path("model_type").asText("");
    if (!type.equals(MODEL_TYPE)) {
      throw fault("model_type", root.path("model_type"), "must be " + MODEL_TYPE);
    }
    if (!root.path("hidden_act").asText("silu").equals("silu")) {
      throw fault("hidden_act", root.path("hidden_act"), "must be silu");
    }
    for (String unsupported :
        new String[] {
          "rope_scaling", "quantization_config", "attention_bias", "use_sliding_window"
        }) {
      if (!isAbsent(root, unsupported)
          && !root.path(unsupported).equals(JSON.getNodeFactory().booleanNode(false))) {
        throw fault(unsupported, root.path(unsupported), "is not supported");
      }
    }
  }

  /** At the top, or since Transformers 5 inside {@code rope_parameters}. */
  private static double ropeTheta(JsonNode root) {
    if (isAbsent(root, "rope_parameters")) {
      return number(root, "rope_theta");
    }
    JsonNode parameters = root.path("rope_parameters");
    if (!parameters.path("rope_type").asText("default").equals("default")) {
      throw fault("rope_parameters.rope_type", parameters.path("rope_type"), "must be default");
    }
    return number(parameters, "rope_theta");
  }

  /** A token id; of a list the first. */
  private static int token(JsonNode root, String key) {
    JsonNode value = root.path(key);
    JsonNode first = value.isArray() ? value.path(0) : value;
    if (!first.isInt()) {
      throw fault(key, value, "must be a token id or a list of them");
    }
    return first.intValue();
  }

  private static int integer(JsonNode root, String key) {
    JsonNode value = root.path(key);
    if (!value.isInt()) {
      throw fault(key, value, "must be a whole number");
    }
    return value.intValue();
  }

  private static double number(JsonNode root, String key) {
    JsonNode value = root.path(key);
    if (!value.isNumber()) {
      throw fault(key, value, "must be a number");
    }
    return value.doubleValue();
  }

  private static boolean bool(JsonNode root, String key) {
    JsonNode value = root.path(key);
    if (!value.isBoolean()) {
      throw fault(key, value, "must be true or false");
    }
    return value.booleanValue();
  }

  private static boolean isAbsent(JsonNode root, String key) {
    return root.path(key).isMissingNode() || root.path(key).isNull();
  }

  private static IllegalArgumentException fault(String key, JsonNode value, String rule) {
    return new IllegalArgumentException(
        key + ": " + (value.isMissingNode() ? "missing," : value) + " " + rule);
  }
}
