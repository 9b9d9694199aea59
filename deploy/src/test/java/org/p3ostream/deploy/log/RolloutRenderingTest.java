package org.p3ostream.deploy.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.policy.checkpoint.NanoModel;
import org.p3ostream.policy.tokenizer.Tokenizer;
import org.p3ostream.schemas.avro.FinishReason;
import org.p3ostream.schemas.avro.LogprobKind;
import org.p3ostream.schemas.avro.PromptTask;
import org.p3ostream.schemas.avro.RejectionReason;
import org.p3ostream.schemas.avro.Response;
import org.p3ostream.schemas.avro.RolloutGroup;

class RolloutRenderingTest {

  private static final PromptTask TASK = Groups.task("12=", "13");

  @TempDir private Path directory;
  private final StringWriter written = new StringWriter();
  private final PrintWriter out = new PrintWriter(written);
  private TokenTexts texts;
  private String hash;
  private List<Integer> tokensOf13;

  @BeforeEach
  void loadTokenizer() {
    NanoModel.copyTokenizer(directory.resolve("tokenizer.json"));
    texts = TokenTexts.of(directory.toString());
    try (Tokenizer tokenizer = Tokenizer.load(directory.resolve("tokenizer.json"))) {
      hash = tokenizer.sha256();
      tokensOf13 = Arrays.stream(tokenizer.encode("13")).boxed().toList();
    }
  }

  @AfterEach
  void closeTokenizer() {
    texts.close();
  }

  @Test
  void textShowsHeaderPromptAnswerAndEveryResponse() {
    RolloutGroup group =
        Groups.group(
                hash,
                List.of(
                    Groups.response(tokensOf13, 1, FinishReason.STOP),
                    Groups.response(List.of(), 0, FinishReason.LENGTH)))
            .build();
    assertThat(text(view(group, TASK, new Fate.Trained(1, 4))))
        .isEqualTo(
            """
            group 10  window 1 slot 2  attempt 0  prompt sums:7  p3o.rollouts-2@17
              sampled  by producer 1 in 31 ms at 2023-11-14T22:13:20.123Z, policy version 3
              how      temperature 0.8 top-p 0.9, log-probs of SAMPLING_DISTRIBUTION, 1 STOP, 1 LENGTH
              ledger   trained in step 1, staleness 1
              prompt   12=
              answer   13  (exact-match)
                      reward  tokens  finish   log-prob  text
              [0]      1.000       2  STOP       -0.500  13
              [1]      0.000       0  LENGTH        NaN
            """);
  }

  @Test
  void textSaysToWhatWeightsWereRounded() {
    Response response = Groups.response(tokensOf13, 1, FinishReason.STOP);
    response.getSampling().put("weightPrecision", "int4");
    response.getSampling().put("logprobKind", LogprobKind.RAW_MODEL);
    assertThat(text(view(Groups.group(hash, List.of(response)).build(), TASK, new Fate.Open())))
        .contains(
            "how      temperature 0.8 top-p 0.9 weights int4, log-probs of RAW_MODEL, 1 STOP");
  }

  @Test
  void textSaysWhatIsNotKnown() {
    RolloutGroup group =
        Groups.group(hash, List.of()).setFailure("reward: x is none\u001B of them").build();
    assertThat(text(view(group, null, new Fate.Open())))
        .contains("group 10  window 1  attempt 0", "no policy version")
        .contains("  failed   reward: x is none\\u001b of them\n")
        .contains("  ledger   not trained yet\n")
        .contains("  answer   not found in the prompts topic\n")
        .doesNotContain("reward  tokens");
    assertThat(text(view(group, null, new Fate.Skipped(4, RejectionReason.DUPLICATE))))
        .contains("  ledger   not trained: DUPLICATE, noted in step 4\n");
    assertThat(text(view(group, null, new Fate.Unasked()))).doesNotContain("ledger");
  }

  @Test
  void textShowsMixedVersionsComponentsAndMaskedTokens() {
    Response response =
        Groups.builder(List.of(1, 2, 3), 0.25, FinishReason.STOP)
            .setVersionSegments(List.of(Groups.segment(0, 2), Groups.segment(1, 3)))
            .setRewardComponents(Map.of("right", 0.0, "format\u0007", 0.25))
            .setBehaviorLogprobs(List.of(-1f, -2f, -100f))
            .setBehaviorLogprobMask(List.of(true, true, false))
            .build();
    assertThat(text(view(group(response), TASK, new Fate.Trained(1, 4))))
        .contains("policy versions 2 to 3", "staleness 1 to 2")
        .contains("  (format\\u0007 0.250, right 0.000)")
        .contains("  -1.500  ");
  }

  @Test
  void textEscapesWhatComesFromTheLogAndKeepsLinesApart() {
    RolloutGroup group =
        Groups.group(hash, List.of(Groups.response(tokensOf13, 1, FinishReason.STOP)))
            .setPromptId("\u001B]0;x\u0007:1")
            .setProducerId("a\u202Eb")
            .build();
    PromptTask task = Groups.task("first\nsecond\u001B[2J", "\rX");
    assertThat(text(view(group, task, new Fate.Open())))
        .contains("prompt \\u001b]0;x\\u0007:1 ", "producer a\\u202eb in", "answer   \\rX")
        .contains("  prompt   first\n           second\\u001b[2J\n");
  }

  @Test
  void tokenIdsAreShownWithTheReasonWhenTheTokenizerIsAnother() {
    List<Response> responses = List.of(Groups.response(tokensOf13, 1, FinishReason.STOP));
    RolloutGroup group = Groups.group("ffffffffffffffffffff", responses).build();
    assertThat(text(view(group, null, new Fate.Open())))
        .contains(
            "  note     token ids instead of texts: model.directory=%s has tokenizer %.12s, the group was sampled with ffffffffffff\n"
                .formatted(directory, hash))
        .contains("  prompt   [3, 4]\n")
        .contains("-0.500  " + tokensOf13 + "\n");
  }

  @Test
  void tokenIdsAreShownWithTheReasonWhenThereIsNoTokenizer() throws Exception {
    RolloutGroup group = group(Groups.response(tokensOf13, 1, FinishReason.STOP));
    texts.close();
    texts = TokenTexts.of(directory.resolve("missing").toString());
    assertThat(text(view(group, TASK, new Fate.Open())))
        .contains("missing has no usable tokenizer (", "-0.500  " + tokensOf13 + "\n")
        .contains("  prompt   12=\n");
    Files.writeString(directory.resolve("tokenizer.json"), "{}");
    texts = TokenTexts.of(directory.toString());
    assertThat(texts.obstacle(hash)).contains("has no usable tokenizer (", "not a tokenizer file");
  }

  @Test
  void piecesAreTheTextOfEachTokenAndNothingWhereThereIsNoTokenizer() {
    assertThat(texts.pieces(hash, tokensOf13)).containsExactly("1", "3");
    assertThat(texts.pieces(hash, List.of())).isEmpty();
    assertThat(texts.pieces(hash, List.of(-1))).isNull();
    assertThat(texts.pieces("f".repeat(64), tokensOf13)).isNull();
  }

  @Test
  void jsonHoldsEveryFieldAndWhatWasJoined() throws Exception {
    Response response =
        Groups.builder(tokensOf13, 1, FinishReason.STOP)
            .setBehaviorLogprobs(List.of(-0.1f, Float.NaN))
            .build();
    RolloutGroup group = group(response);
    JsonNode line = json(view(group, Groups.task("é\u001B=", "13"), new Fate.Trained(1, 4)));
    assertThat(written.toString().stripTrailing()).isPrintable().matches("\\p{ASCII}*");
    for (var field : RolloutGroup.getClassSchema().getFields()) {
      assertThat(line.has(field.name())).as(field.name()).isTrue();
    }
    for (var field : Response.getClassSchema().getFields()) {
      assertThat(line.at("/responses/0").has(field.name())).as(field.name()).isTrue();
    }
    assertThat(line.get("topic").asText()).isEqualTo("p3o.rollouts");
    assertThat(line.get("offset").asLong()).isEqualTo(17);
    assertThat(line.get("slot").asInt()).isEqualTo(2);
    assertThat(line.get("prompt").asText()).isEqualTo("é\u001B=");
    assertThat(line.get("referenceAnswer").asText()).isEqualTo("13");
    assertThat(line.get("rewardFunction").asText()).isEqualTo("exact-match");
    assertThat(line.get("trainedInStep").asLong()).isEqualTo(1);
    assertThat(line.get("stalenessMin").asLong()).isEqualTo(1);
    assertThat(line.get("skipped").isNull()).isTrue();
    assertThat(line.get("textNote").isNull()).isTrue();
    assertThat(line.at("/responses/0/text").asText()).isEqualTo("13");
    assertThat(line.at("/responses/0/tokens/1").asInt()).isEqualTo(tokensOf13.get(1));
    assertThat(line.at("/responses/0/behaviorLogprobs/0").floatValue()).isEqualTo(-0.1f);
    assertThat(line.at("/responses/0/behaviorLogprobs/1").asText()).isEqualTo("NaN");
  }

  @Test
  void jsonHasNullsForWhatIsNotKnown() throws Exception {
    RolloutGroup group = group(Groups.response(List.of(-1), 1, FinishReason.STOP));
    JsonNode line = json(view(group, null, new Fate.Skipped(1, RejectionReason.STALE)));
    for (String field :
        List.of("slot", "prompt", "referenceAnswer", "rewardFunction", "trainedInStep")) {
      assertThat(line.get(field).isNull()).as(field).isTrue();
    }
    assertThat(line.get("skipped").asText()).isEqualTo("STALE");
    assertThat(line.at("/responses/0/text").isNull()).isTrue();
  }

  private RolloutGroup group(Response response) {
    return Groups.group(hash, List.of(response)).build();
  }

  private static RolloutView view(RolloutGroup group, @Nullable PromptTask task, Fate fate) {
    return new RolloutView(Groups.entry(group), group, task, fate);
  }

  private String text(RolloutView view) {
    written.getBuffer().setLength(0);
    new RolloutText(out, texts).show(view);
    return written.toString().replace(System.lineSeparator(), "\n").replaceAll(" +\n", "\n");
  }

  private JsonNode json(RolloutView view) throws Exception {
    written.getBuffer().setLength(0);
    new RolloutJson(out, texts).show(view);
    return new ObjectMapper().readTree(written.toString());
  }
}
