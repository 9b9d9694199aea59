package org.p3ostream.policy.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.policy.model.ModelConfig;
import org.p3ostream.policy.model.ParameterLayout;
import org.p3ostream.policy.model.TinyModels;

class ModelDirectoryTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path temporary;
  private Path tokenizerJson;
  private Path directory;

  @BeforeEach
  void writeTokenizer() {
    tokenizerJson = temporary.resolve("source-tokenizer.json");
    NanoModel.copyTokenizer(tokenizerJson);
    directory = temporary.resolve("parent").resolve("model");
  }

  static Stream<ModelConfig> configs() {
    return Stream.of(TinyModels.GROUPED_TIED, TinyModels.FULL_UNTIED, NanoModel.config());
  }

  @ParameterizedTest
  @MethodSource("configs")
  void loadReadsWhatSaveWrote(ModelConfig config) throws IOException {
    float[] weights = TinyModels.weights(config, 1);
    weights[0] = Float.MIN_VALUE;
    weights[1] = -0f;
    ModelDirectory.save(directory, config, weights, tokenizerJson);
    ModelDirectory.Contents contents = ModelDirectory.load(directory);
    assertThat(contents.config()).isEqualTo(config);
    assertThat(contents.weights()).isEqualTo(weights);
    assertThat(contents.tokenizerJson()).isEqualTo(directory.resolve("tokenizer.json"));
    assertThat(Files.mismatch(contents.tokenizerJson(), tokenizerJson)).isEqualTo(-1);
    assertThat(ModelDirectory.loadConfig(directory)).isEqualTo(config);
  }

  @Test
  void saveIntoAnEmptyDirectoryFillsIt() throws IOException {
    Files.createDirectories(directory);
    save(TinyModels.GROUPED_TIED);
    assertThat(entries(directory))
        .containsExactlyInAnyOrder("config.json", "model.safetensors", "tokenizer.json");
  }

  @Test
  void saveNeverTouchesADirectoryThatHoldsSomething() throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve("notes.txt"), "mine");
    assertThatThrownBy(() -> save(TinyModels.GROUPED_TIED))
        .isInstanceOf(UncheckedIOException.class)
        .hasCauseInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining("model: cannot be written");
    assertThat(entries(directory)).containsExactly("notes.txt");
  }

  @Test
  void saveLeavesNothingBehindWhenItFails() throws IOException {
    Path absent = temporary.resolve("absent.json");
    ModelConfig config = TinyModels.GROUPED_TIED;
    assertThatThrownBy(
            () -> ModelDirectory.save(directory, config, TinyModels.weights(config, 1), absent))
        .isInstanceOf(UncheckedIOException.class);
    assertThat(entries(directory.getParent())).isEmpty();
  }

  @Test
  void saveRefusesWeightsOfAnotherModel() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                ModelDirectory.save(
                    directory, TinyModels.GROUPED_TIED, new float[7], tokenizerJson))
        .withMessageContaining("7 weights");
  }

  /** A file as HuggingFace publishes it: bfloat16, own order, the tied head written out. */
  @Test
  void loadReadsAPublishedBfloat16File() throws IOException {
    ModelConfig config = TinyModels.GROUPED_TIED;
    save(config);
    float[] weights = TinyModels.weights(config, 2);
    ParameterLayout layout = ParameterLayout.of(config);
    ObjectNode header = JSON.createObjectNode();
    header.putObject("__metadata__").put("format", "pt");
    ByteBuffer data = ByteBuffer.allocate(1 << 20).order(ByteOrder.LITTLE_ENDIAN);
    ParameterLayout.Slice embedding = layout.slices().get(0);
    append(header, data, "lm_head.weight", embedding, weights);
    for (int i = layout.slices().size() - 1; i >= 0; i--) {
      append(header, data, layout.slices().get(i).name(), layout.slices().get(i), weights);
    }
    writeSafetensors(header.toString(), data);

    float[] loaded = ModelDirectory.load(directory).weights();

    assertThat(loaded).hasSameSizeAs(weights);
    for (int i = 0; i < weights.length; i++) {
      assertThat(loaded[i]).isEqualTo(truncated(weights[i]));
    }
  }

  @Test
  void loadNamesTheTensorWhoseShapeDoesNotFitTheConfig() throws IOException {
    save(TinyModels.GROUPED_TIED);
    edit("intermediate_size", "21");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelDirectory.load(directory))
        .withMessageContaining("model.safetensors: tensor model.layers.0.mlp.gate_proj.weight")
        .withMessageContaining("has shape [20, 12], config.json asks for [21, 12]");
  }

  @Test
  void loadNamesTheTensorThatIsMissing() throws IOException {
    save(TinyModels.GROUPED_TIED);
    edit("tie_word_embeddings", "false");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelDirectory.load(directory))
        .withMessageContaining("model.safetensors: tensor lm_head.weight is missing");
  }

  @Test
  void loadNamesTensorsThatTheModelDoesNotHave() throws IOException {
    save(TinyModels.GROUPED_TIED);
    edit("num_hidden_layers", "1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelDirectory.load(directory))
        .withMessageContaining("model.layers.1.")
        .withMessageContaining("are not in the model");
  }

  @Test
  void loadNamesTheFileThatIsMissing() throws IOException {
    assertThatThrownBy(() -> ModelDirectory.load(directory))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("config.json");
    save(TinyModels.GROUPED_TIED);
    Files.delete(directory.resolve("tokenizer.json"));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelDirectory.load(directory))
        .withMessageContaining("tokenizer.json: missing");
    Files.delete(directory.resolve("model.safetensors"));
    Files.copy(tokenizerJson, directory.resolve("tokenizer.json"));
    assertThatThrownBy(() -> ModelDirectory.load(directory))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("model.safetensors");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          model_type           | "llama"                              | model_type: "llama" must be qwen3
          hidden_act           | "gelu"                               | hidden_act: "gelu" must be silu
          rope_scaling         | {"type": "yarn"}                     | rope_scaling: {"type":"yarn"} is not supported
          attention_bias       | true                                 | attention_bias: true is not supported
          use_sliding_window   | true                                 | use_sliding_window: true is not supported
          quantization_config  | {}                                   | quantization_config: {} is not supported
          rope_parameters      | {"rope_type": "yarn"}                | rope_parameters.rope_type: "yarn" must be default
          hidden_size          | 12.5                                 | hidden_size: 12.5 must be a whole number
          rms_norm_eps         | "small"                              | rms_norm_eps: "small" must be a number
          tie_word_embeddings  | 1                                    | tie_word_embeddings: 1 must be true or false
          head_dim             | null                                 | head_dim: null must be a whole number
          eos_token_id         | []                                   | eos_token_id: [] must be a token id or a list of them
          head_dim             | 5                                    | headDim: 5 must be even
          """)
  void loadConfigNamesKeyValueAndRule(String key, String value, String message) throws IOException {
    save(TinyModels.GROUPED_TIED);
    edit(key, value);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ModelDirectory.loadConfig(directory))
        .withMessageContaining("config.json: " + message);
  }

  @Test
  void loadConfigTakesTheFormsThatPublishedModelsUse() throws IOException {
    save(TinyModels.GROUPED_TIED);
    edit("eos_token_id", "[9, 3]");
    edit("pad_token_id", "null");
    edit("rope_theta", "null");
    edit("rope_parameters", "{\"rope_theta\": 1000000, \"rope_type\": \"default\"}");
    edit("sliding_window", "null");
    edit("use_sliding_window", "false");
    ModelConfig config = ModelDirectory.loadConfig(directory);
    assertThat(config.eosTokenId()).isEqualTo(9);
    assertThat(config.padTokenId()).isEqualTo(9);
    assertThat(config.ropeTheta()).isEqualTo(1e6);
  }

  @Test
  void nanoModelIsTheShippedOne() {
    assertThat(NanoModel.config())
        .isEqualTo(new ModelConfig(16, 64, 192, 2, 4, 2, 16, 1e-6, 1e4, true, 64, 11, 13));
  }

  private void save(ModelConfig config) {
    ModelDirectory.save(directory, config, TinyModels.weights(config, 1), tokenizerJson);
  }

  private void edit(String key, String value) throws IOException {
    Path file = directory.resolve("config.json");
    ObjectNode config = (ObjectNode) JSON.readTree(file.toFile());
    config.set(key, JSON.readTree(value));
    JSON.writeValue(file.toFile(), config);
  }

  private static void append(
      ObjectNode header,
      ByteBuffer data,
      String name,
      ParameterLayout.Slice slice,
      float[] weights) {
    int begin = data.position();
    for (int i = 0; i < slice.elementCount(); i++) {
      int bits = Float.floatToRawIntBits(weights[(int) slice.elementOffset() + i]);
      data.putShort((short) (bits >>> 16));
    }
    ObjectNode entry = header.putObject(name);
    entry.put("dtype", "BF16");
    slice.shape().forEach(entry.putArray("shape")::add);
    entry.putArray("data_offsets").add(begin).add(data.position());
  }

  private void writeSafetensors(String header, ByteBuffer data) throws IOException {
    byte[] json = header.getBytes(StandardCharsets.UTF_8);
    ByteBuffer file =
        ByteBuffer.allocate(8 + json.length + data.position()).order(ByteOrder.LITTLE_ENDIAN);
    file.putLong(json.length).put(json).put(data.flip());
    Files.write(directory.resolve("model.safetensors"), file.array());
  }

  private static float truncated(float value) {
    return Float.intBitsToFloat(Float.floatToRawIntBits(value) & 0xffff0000);
  }

  private static List<String> entries(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(path -> path.getFileName().toString()).toList();
    }
  }
}
