package org.p3ostream.deploy.loss;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LossCommandTest {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final String TWO_TOKENS =
      "[{\"logprob\": -1, \"behavior_logprob\": -2, \"advantage\": 1},"
          + " {\"logprob\": -3, \"behavior_logprob\": -2, \"advantage\": -1}]\n";

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "p3o, p3o/step/proxy",
    "grpo, grpo/0.2",
    "ppo, ppo/0.2/3.0",
    "dapo, dapo/0.2/0.28",
    "cispo, cispo/0.2/0.28",
    "gspo, gspo/3e-4/4e-4",
    "tis, tis/2.0",
    "decoupled-ppo, decoupled-ppo/0.2/2.0",
    "DECOUPLED_PPO, decoupled-ppo/0.2/2.0"
  })
  void everyAlgorithmRunsByItsNameOnBothEngines(String name, String id) throws IOException {
    JsonNode java = json(TWO_TOKENS, "--algorithm", name);
    JsonNode torch = json(TWO_TOKENS, "--algorithm", name, "--engine", "torch");
    assertThat(java.get("algorithm").asText()).isEqualTo(id);
    assertThat(java.get("engine").asText()).isEqualTo("java");
    assertThat(torch.get("engine").asText()).isEqualTo("torch");
    assertThat(torch.get("loss").asDouble()).isCloseTo(java.get("loss").asDouble(), within(1e-12));
    JsonNode rounded =
        json(TWO_TOKENS, "--algorithm", name, "--engine=torch", "--precision=float32");
    assertThat(rounded.get("loss").asDouble()).isCloseTo(java.get("loss").asDouble(), within(1e-5));
  }

  @Test
  void parametersOfAnAlgorithmHaveTheirEffect() throws IOException {
    assertThat(algorithm("ppo", "--clip-low=0.1", "--dual-clip=4")).isEqualTo("ppo/0.1/4.0");
    assertThat(algorithm("tis", "--importance-cap=1.5")).isEqualTo("tis/1.5");
    assertThat(json(TWO_TOKENS, "--algorithm=tis", "--importance-cap=1.5").get("cap").asDouble())
        .isEqualTo(1.5);
  }

  @Test
  void figuresThatDoNotApplyAreNull() throws IOException {
    JsonNode grpo = json(TWO_TOKENS, "--algorithm=grpo");
    assertThat(grpo.get("cap").isNull()).isTrue();
    assertThat(grpo.get("cap_fraction").isNull()).isTrue();
    assertThat(grpo.get("clip_fraction").asDouble()).isEqualTo(1);
    JsonNode p3o = json(TWO_TOKENS);
    assertThat(p3o.get("clip_fraction").isNull()).isTrue();
    assertThat(p3o.get("cap").asDouble()).isEqualTo(p3o.get("ess").get(0).asDouble());
    assertThat(p3o.get("ratio_std").asDouble()).isCloseTo(1.1752011936438014, within(1e-12));
  }

  @Test
  void capIsOnePerMicroBatchUnderItsScope() throws IOException {
    JsonNode found = json(TWO_TOKENS + "[]\n" + TWO_TOKENS, "--ess-scope=micro_batch");
    assertThat(found.get("ess")).hasSize(3);
    assertThat(found.get("ess").get(1).isNull()).isTrue();
    assertThat(found.get("cap")).isEqualTo(found.get("ess"));
  }

  /** A response of its own per token, or one of both: e^1 and e^-1, or e^0. */
  @Test
  void responsesOfAMicroBatchAreToldApartByNumber() throws IOException {
    String apart =
        TWO_TOKENS.replaceFirst("\\{", "{\"response\": 5, ").replace(", {", ", {\"response\": 6, ");
    String[] wide = {"--algorithm=gspo", "--clip-low=0.9", "--clip-high=9"};
    assertThat(json(TWO_TOKENS, wide).get("loss").asDouble()).isCloseTo(0, within(1e-15));
    assertThat(json(apart, wide).get("loss").asDouble())
        .isCloseTo((Math.exp(-1) - Math.exp(1)) / 2, within(1e-12));
  }

  @Test
  void maskedTokensMayHoldAnything() throws IOException {
    String masked =
        TWO_TOKENS.replace(
            "]\n",
            ", {\"logprob\": NaN, \"behavior_logprob\": null, \"mask\": 0}, {\"mask\": false}]\n");
    JsonNode found = json(masked);
    assertThat(found.get("valid_tokens").asInt()).isEqualTo(2);
    assertThat(found.get("token_loss")).hasSize(4);
    assertThat(found.get("token_loss").get(2).asDouble()).isZero();
    assertThat(found.get("loss")).isEqualTo(json(TWO_TOKENS).get("loss"));
  }

  @Test
  void nothingValidMovesNothing() throws IOException {
    JsonNode found = json("[{\"mask\": 0}]\n[]\n");
    assertThat(found.get("loss").isNull()).isTrue();
    assertThat(found.get("ratio_mean").isNull()).isTrue();
    assertThat(found.get("ess").get(0).isNull()).isTrue();
    assertThat(found.get("grad").get(0).asDouble()).isZero();
    assertThat(warnings(found)).containsExactly("no valid token: nothing would move");
  }

  @Test
  void tableOfNothingShowsNoRatios() throws IOException {
    assertThat(CommandRun.of("loss", "--input=" + file("[{\"mask\": 0}]")).out().lines())
        .containsExactly(
            "algorithm        p3o/step/proxy, java engine",
            "tokens           0 valid of 1, micro-batches: 1",
            "gradient norm    0.00000 over the log-probs",
            "warning: no valid token: nothing would move");
  }

  @Test
  void helpSaysWhyTheDefaultIsNotTheLearners() {
    assertThat(CommandRun.of("loss", "--help").out().replaceAll("\\s+", " "))
        .contains("default: proxy, since exact, the learner's default, needs the whole vocabulary");
  }

  @Test
  void figuresBeyondFloat64AreTextSoThatTheOutputStaysJson() throws IOException {
    JsonNode found =
        json(
            "[{\"logprob\": 0, \"behavior_logprob\": -800, \"advantage\": -1}]",
            "--algorithm=grpo");
    assertThat(found.get("ratio_max").asText()).isEqualTo("Infinity");
    assertThat(found.get("loss").asText()).isEqualTo("Infinity");
    assertThat(warnings(found))
        .anyMatch(
            w ->
                w.equals(
                    "losses and gradients that are not finite: 2; a learner would stop at this step"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{'logprob': 1, 'behavior_logprob': -1}] | line 1: [0].advantage: is missing; it must be there where mask is 1",
        "[{'logprob': null, 'behavior_logprob': -1, 'advantage': 0}] | line 1: [0].logprob: is missing",
        "[{'logprob': NaN, 'behavior_logprob': -1, 'advantage': 0}] | line 1: [0].logprob: NaN must be finite where mask is 1",
        "[{'logprob': 1e999, 'behavior_logprob': -1, 'advantage': 0}] | line 1: [0].logprob: Infinity must be finite",
        "[{'logprob': '-1'}] | line 1: [0].logprob: '-1' must be a number",
        "[]%[{'mask': 0.5}] | line 2: [0].mask: 0.5 must be 0 (left out) or 1 (taken in)",
        "[]%%[{'mask': 0}, {'response': 1.5}] | line 3: [1].response: 1.5 must be a whole number",
        "[{'logprob': 1, 'logprob': 2}] | line 1: must be JSON: Duplicate field 'logprob'",
        "[{'staleness': -1, 'logprob': 0, 'behavior_logprob': 0, 'advantage': 0}] | line 1: [0].staleness: -1.0 must be a whole number of policy versions, >= 0",
        "[{'staleness': 1.5, 'logprob': 0, 'behavior_logprob': 0, 'advantage': 0}] | line 1: [0].staleness: 1.5 must be a whole number",
        "[{'logprob': 0, 'behaviour_logprob': 0, 'advantage': 0}] | line 1: [0].behavior_logprob: is missing; it must be there where mask is 1 (unknown here: behaviour_logprob)",
        "{'microBatches': []} | line 1: micro_batches: is missing; it must be a list of micro-batches (unknown here: microBatches)",
        "[]%[{'mask': 0},%{}] | line 2: must be JSON: ",
        "[] [] | line 1: more follows the list",
        "[]%{} | line 2: must be a list",
        "[[]] | line 1: [0]: a list must be an object: one token",
        "hello | line 1: must be an object with micro_batches, or one list of tokens per line",
        "{'a': [1, {'b': 2}]} | line 1: micro_batches: is missing",
        "{'micro_batches':%ø[%[],%[{'mask': 2}]]} | line 4: micro_batches[1][0].mask: 2 must be",
        "{'micro_batches':%[%[{'logprob': 0,%'behavior_logprob': true}]]} | line 4: micro_batches[0][0].behavior_logprob: true must be a number",
        "{'micro_batches': [ 7 ]} | line 1: micro_batches[0]: must be a list",
        "{'micro_batches': []} {} | line 1: more follows the object",
        "{'micro_batches': [[] | line 1: must be JSON: Unexpected end-of-input: expected close marker for Array"
      })
  void whatIsWrongIsNamedByLineFieldAndRule(String text, String message) throws IOException {
    Path file = directory.resolve("tokens.json");
    Files.writeString(file, text.replace('\'', '"').replace('%', '\n').replace("ø", ""));
    CommandRun run = CommandRun.of("loss", "--input=" + file);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err().replace('"', '\'')).startsWith("p3o: " + file + ": " + message);
    assertThat(run.err().lines()).hasSize(1);
    assertThat(run.out()).isEmpty();
  }

  @Test
  void emptyInputAndOtherEncodingsAreNamed() throws IOException {
    Path file = directory.resolve("tokens.json");
    Files.writeString(file, " \n");
    assertThat(CommandRun.of("loss", "--input=" + file).err()).contains("line 1: is empty");
    Files.write(file, new byte[] {'[', (byte) 0xC3, ']'});
    assertThat(CommandRun.of("loss", "--input=" + file).err()).contains("must be UTF-8");
    Files.write(file, new byte[] {'{', '"', (byte) 0xFF, '"', '}'});
    CommandRun run = CommandRun.of("loss", "--input=" + file);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("line 1: must be JSON: Invalid UTF-8");
  }

  @Test
  void byteOrderMarksArePassedOver() throws IOException {
    assertThat(json("\uFEFF" + TWO_TOKENS)).isEqualTo(json(TWO_TOKENS));
    assertThat(json("\uFEFF{\"micro_batches\": [" + TWO_TOKENS + "]}")).isEqualTo(json(TWO_TOKENS));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--clip-low=0.1 | --clip-low: 0.1 has no meaning for p3o: it has no clip",
        "--algorithm=grpo --ess-scope=step | --ess-scope: step has no meaning for grpo",
        "--algorithm=ppo --dual-clip=1 | --dual-clip: 1.0 must be > 1",
        "--kl-mode=exact | --kl-mode: exact must be proxy, proxy-safe or none",
        "--precision=float32 | --precision: float32 has no meaning for the java engine",
        "--kl-mode=k3 | Invalid value for option '--kl-mode': 'k3' must be one of proxy,",
        "--algorithm=foo | Invalid value for option '--algorithm': 'foo' must be one of p3o, grpo,",
      })
  void wrongOptionsExitWithTwo(String options, String message) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("loss", "--input=" + file(TWO_TOKENS)));
    arguments.addAll(List.of(options.split(" ")));
    CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains(message);
  }

  @Test
  void missingFileExitsWithTwo() {
    CommandRun run = CommandRun.of("loss", "--input=" + directory.resolve("none"));
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--input: " + directory.resolve("none") + " must be a file");
  }

  @Test
  void standardInputIsReadAsAFileIs() throws IOException {
    InputStream before = System.in;
    System.setIn(new ByteArrayInputStream(TWO_TOKENS.getBytes(StandardCharsets.UTF_8)));
    try {
      CommandRun run = CommandRun.of("loss", "--input", "-", "--json");
      assertThat(JSON.readTree(run.out())).isEqualTo(json(TWO_TOKENS));
    } finally {
      System.setIn(before);
    }
  }

  /** ρ = e and 1/e: e = 9.5244 / (2 · 7.5244), the rest by hand from it. */
  @Test
  void tableShowsFiguresHistogramAndWarnings() throws IOException {
    CommandRun run = CommandRun.of("loss", "--input=" + file(TWO_TOKENS));
    assertThat(run.exitCode()).isZero();
    assertThat(run.out().lines())
        .containsExactly(
            "algorithm        p3o/step/proxy, java engine",
            "tokens           2 valid of 2, micro-batches: 1",
            "ESS              0.632901",
            "cap              0.632901",
            "above the cap    50.0 % of the tokens",
            "loss             -0.0360043",
            "gradient norm    0.239686 over the log-probs",
            "ratio            mean 1.54308, std 1.17520, max 2.71828",
            "KL to behaviour  0.543081 nats, mean of k3",
            "",
            "ratio             tokens",
            "below 1/8              0",
            "1/8 to 1/4             0",
            "1/4 to 1/2             1  ########################################",
            "1/2 to 0.8             0",
            "0.8 to 1.25            0",
            "1.25 to 2              0",
            "2 to 4                 1  ########################################",
            "4 to 8                 0",
            "8 and above            0");
  }

  @Test
  void manyTokensAreReadAsTheyCome() throws IOException {
    Path file = directory.resolve("many.jsonl");
    String line = TWO_TOKENS.strip();
    String hundred = "[" + (line.substring(1, line.length() - 1) + ", ").repeat(100);
    String microBatch = hundred.substring(0, hundred.length() - 2) + "]\n";
    Files.writeString(file, microBatch.repeat(500));
    JsonNode found = JSON.readTree(CommandRun.of("loss", "--input=" + file, "--json").out());
    assertThat(found.get("valid_tokens").asInt()).isEqualTo(100_000);
    assertThat(found.get("loss").asDouble())
        .isCloseTo(json(TWO_TOKENS).get("loss").asDouble(), within(1e-10));
  }

  private String algorithm(String name, String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("--algorithm=" + name));
    all.addAll(List.of(options));
    return json(TWO_TOKENS, all.toArray(String[]::new)).get("algorithm").asText();
  }

  private JsonNode json(String text, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("loss", "--json", "--input=" + file(text)));
    arguments.addAll(List.of(options));
    CommandRun run = CommandRun.of(arguments.toArray(String[]::new));
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).endsWith("}" + System.lineSeparator());
    return JSON.readTree(run.out());
  }

  private Path file(String text) throws IOException {
    return Files.writeString(directory.resolve("tokens.jsonl"), text);
  }

  private static List<String> warnings(JsonNode found) {
    List<String> warnings = new ArrayList<>();
    found.get("warnings").forEach(warning -> warnings.add(warning.asText()));
    return warnings;
  }
}
