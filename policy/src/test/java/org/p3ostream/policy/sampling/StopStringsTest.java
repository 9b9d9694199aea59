package org.p3ostream.policy.sampling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.policy.tokenizer.Tokenizer;

/** With real tokenizers whose tokens are bytes: the text of a token depends on its neighbours. */
class StopStringsTest {

  /** Byte-level tokens as in GPT-2 and Qwen: Ã and © stand for the two bytes of é. */
  private static final String BYTE_LEVEL =
      """
      {"added_tokens": [{"id": 6, "content": "<eos>", "special": true, "single_word": false,
          "lstrip": false, "rstrip": false, "normalized": false}],
       "decoder": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": false,
          "use_regex": false},
       "model": {"type": "BPE", "merges": [],
          "vocab": {"a": 0, "\u00c3": 1, "\u00a9": 2, "b": 3, "ab": 4, "\u010a": 5, "<eos>": 6}}}
      """;

  /** Bytes as tokens of their own names, as in Llama. */
  private static final String BYTE_FALLBACK =
      """
      {"decoder": {"type": "Sequence", "decoders": [{"type": "ByteFallback"}, {"type": "Fuse"}]},
       "model": {"type": "BPE", "merges": [], "byte_fallback": true,
          "vocab": {"a": 0, "<0xC3>": 1, "<0xA9>": 2, "b": 3}}}
      """;

  @TempDir private Path directory;

  @Test
  void endWithSeesACharacterOnceItsLastByteIsThere() throws IOException {
    for (String json : List.of(BYTE_LEVEL, BYTE_FALLBACK)) {
      try (Tokenizer tokenizer = load(json)) {
        StopStrings stops = new StopStrings(List.of("aé"), tokenizer::decode);
        assertThat(lengthsThatEnd(stops, 3, 0, 1, 2, 3)).containsExactly(4, 5);
        assertThat(lengthsThatEnd(stops, 0, 3, 1, 2)).isEmpty();
        assertThat(stops.before(tokenizer.decode(new int[] {3, 0, 1, 2}))).isEqualTo("b");
      }
    }
  }

  @Test
  void endWithSeesAStopStringThatEndsWithinAToken() throws IOException {
    try (Tokenizer tokenizer = load(BYTE_LEVEL)) {
      StopStrings stops = new StopStrings(List.of("ba", "\n"), tokenizer::decode);
      assertThat(lengthsThatEnd(stops, 0, 3, 4, 3)).containsExactly(3, 4);
      assertThat(stops.before(tokenizer.decode(new int[] {0, 3, 4}))).isEqualTo("a");
      assertThat(lengthsThatEnd(stops, 0, 5)).containsExactly(2);
    }
  }

  @Test
  void endWithNeverMatchesASpecialToken() throws IOException {
    try (Tokenizer tokenizer = load(BYTE_LEVEL)) {
      StopStrings stops = new StopStrings(List.of("<eos>"), tokenizer::decode);
      assertThat(lengthsThatEnd(stops, 0, 6, 3)).isEmpty();
    }
  }

  @Test
  void beforeCutsAtTheStopStringThatBeginsFirst() {
    StopStrings stops = new StopStrings(List.of("d", "bc", "c"), tokens -> "");
    assertThat(stops.before("abcd")).isEqualTo("a");
    assertThat(stops.before("dabc")).isEmpty();
    assertThat(stops.before("xyz")).isEqualTo("xyz");
    assertThat(StopStrings.none().before("abcd")).isEqualTo("abcd");
  }

  @Test
  void constructorRefusesAnEmptyText() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new StopStrings(List.of("a", ""), tokens -> ""))
        .withMessageContaining("stopStrings");
  }

  private static List<Integer> lengthsThatEnd(StopStrings stops, int... tokens) {
    return java.util.stream.IntStream.rangeClosed(1, tokens.length)
        .filter(length -> stops.endWith(Arrays.copyOf(tokens, length)))
        .boxed()
        .toList();
  }

  private Tokenizer load(String json) throws IOException {
    return Tokenizer.load(Files.writeString(directory.resolve("tokenizer.json"), json));
  }
}
