package org.p3ostream.policy.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.policy.checkpoint.NanoModel;

class TokenizerTest {

  /** Byte-pair encoding without an unknown token: drops what it does not know. */
  private static final String DROPPING =
      """
      {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}
      """;

  /** Writes an unknown token for what it does not know. */
  private static final String REPLACING =
      """
      {"pre_tokenizer": {"type": "Whitespace"},
       "model": {"type": "WordLevel", "vocab": {"a": 0, "[UNK]": 1}, "unk_token": "[UNK]"}}
      """;

  @TempDir private Path directory;
  private Tokenizer nano;

  @BeforeEach
  void loadNanoTokenizer() {
    Path file = directory.resolve("tokenizer.json");
    NanoModel.copyTokenizer(file);
    nano = Tokenizer.load(file);
  }

  @AfterEach
  void closeNanoTokenizer() {
    nano.close();
  }

  @Test
  void encodeGivesOneIdPerCharacterOfTheNanoVocabulary() {
    assertThat(nano.encode("0123456789=+-*"))
        .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15);
    assertThat(nano.encode("12345678=")).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 10);
    assertThat(nano.encode("<eos><pad>")).containsExactly(11, 13);
    assertThat(nano.encode("")).isEmpty();
  }

  @Test
  void decodeReturnsTheTextWithoutSpecialTokens() {
    String text = "907+15-3*0=42";
    assertThat(nano.decode(nano.encode(text))).isEqualTo(text);
    assertThat(nano.decode(new int[] {4, 2, 11, 13, 13})).isEqualTo("42");
    assertThat(nano.decode(new int[0])).isEmpty();
  }

  @Test
  void decodeLeavesOutIdsBeyondTheVocabulary() {
    assertThat(nano.decode(new int[] {1, 16, 2})).isEqualTo("12");
  }

  @Test
  void encodeNamesTheCharacterThatTheVocabularyLacks() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> nano.encode("1+a="))
        .withMessageContaining("'a' (U+0061) at position 2 of \"1+a=\"");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> nano.encode("1 2"))
        .withMessageContaining("(U+0020) at position 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> nano.encode("1\uD83D\uDE00"))
        .withMessageContaining("(U+1F600) at position 1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> nano.encode("1\n"))
        .withMessageContaining("(U+000A) at position 1");
  }

  @Test
  void encodeNamesTheCharacterThatATokenizerWouldDrop() throws IOException {
    try (Tokenizer dropping = load(DROPPING)) {
      assertThat(dropping.encode("abba")).containsExactly(2, 1, 0);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> dropping.encode("abca"))
          .withMessageContaining("'c' (U+0063) at position 2");
    }
  }

  @Test
  void encodeNamesTheCharacterThatATokenizerWouldReplace() throws IOException {
    try (Tokenizer replacing = load(REPLACING)) {
      assertThat(replacing.encode("a a")).containsExactly(0, 0);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> replacing.encode("a z"))
          .withMessageContaining("'z' (U+007A) at position 2");
    }
  }

  @Test
  void sha256IsThatOfTheFile() throws IOException {
    Path copy = directory.resolve("copy.json");
    Files.writeString(copy, Files.readString(directory.resolve("tokenizer.json")) + "\n");
    try (Tokenizer other = Tokenizer.load(copy)) {
      assertThat(nano.sha256()).matches("[0-9a-f]{64}").isNotEqualTo(other.sha256());
    }
  }

  @Test
  void loadNamesTheFileThatIsNoTokenizer() throws IOException {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> load("{\"model\": 7}"))
        .withMessageContaining("other.json: not a tokenizer file");
    Path absent = directory.resolve("absent.json");
    assertThatThrownBy(() -> Tokenizer.load(absent))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("absent.json");
  }

  private Tokenizer load(String json) throws IOException {
    Path file = directory.resolve("other.json");
    Files.writeString(file, json);
    return Tokenizer.load(file);
  }
}
