package org.p3ostream.learner.runtime;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.p3ostream.learner.config.AlgorithmConfig;
import org.p3ostream.learner.config.AuditConfig;
import org.p3ostream.learner.config.ConfigurationException;
import org.p3ostream.learner.config.DispatchConfig;
import org.p3ostream.learner.config.LearnerConfig;
import org.p3ostream.learner.config.LearnerSettings;
import org.p3ostream.learner.config.ModelSourceConfig;
import org.p3ostream.learner.config.OptimizerConfig;
import org.p3ostream.learner.config.PromptsConfig;
import org.p3ostream.learner.config.RatioConfig;
import org.p3ostream.learner.config.RecoveryConfig;
import org.p3ostream.learner.config.RunConfig;
import org.p3ostream.learner.config.SamplingConfig;
import org.p3ostream.learner.config.TrimmingConfig;
import org.p3ostream.learner.config.WindowConfig;
import org.p3ostream.policy.checkpoint.ModelDirectory;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.model.ParameterInitializer;

class ModelDropoutTest {

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "attention_dropout",
        "hidden_dropout_prob",
        "dropout",
        "resid_pdrop",
        "attn_pdrop"
      })
  void requireNoneRefusesAnyDropout(String key) throws IOException {
    write("{\"" + key + "\": 0.1}");
    assertThatThrownBy(() -> ModelDropout.requireNone(directory))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(
            directory.resolve("config.json") + ": " + key + ": 0.1 must be 0: pre-pass and update");
  }

  @Test
  void requireNoneTakesZeroNullAndOtherKeys() throws IOException {
    write("{\"attention_dropout\": 0.0, \"dropout\": null, \"vocab_size\": 20}");
    assertThatCode(() -> ModelDropout.requireNone(directory)).doesNotThrowAnyException();
  }

  @Test
  void loadRefusesAModelWithDropout() throws IOException {
    Path tokenizer = directory.resolve("tokenizer.json");
    NanoModel.copyTokenizer(tokenizer);
    Path model = directory.resolve("model");
    float[] weights = ParameterInitializer.initialize(NanoModel.config(), 3);
    ModelDirectory.save(model, NanoModel.config(), weights, tokenizer);
    Path config = model.resolve("config.json");
    Files.writeString(
        config, Files.readString(config).replaceFirst("\\{", "{\"attention_dropout\": 0.1, "));
    assertThatThrownBy(() -> RunAssets.load(settings(model)))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageStartingWith(config + ": attention_dropout: 0.1 must be 0: ");
  }

  private static LearnerSettings settings(Path model) {
    return new LearnerSettings(
        RunConfig.defaults(),
        new ModelSourceConfig(model.toString(), "cpu", 1, 0),
        PromptsConfig.defaults(),
        SamplingConfig.defaults(),
        DispatchConfig.defaults(),
        WindowConfig.defaults(),
        AlgorithmConfig.defaults(),
        RatioConfig.defaults(),
        OptimizerConfig.defaults(),
        LearnerConfig.defaults(),
        AuditConfig.defaults(),
        RecoveryConfig.defaults(),
        TrimmingConfig.defaults(),
        Map.of());
  }

  private void write(String json) throws IOException {
    Files.writeString(directory.resolve("config.json"), json);
  }
}
