package org.p3ostream.learner.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PromptFileTest {

  private static final String GOOD = "{\"prompt\":\"1+1=\",\"answer\":\"2\"}";

  @TempDir private Path directory;

  @Test
  void readGivesBackWhatWasWritten() {
    List<PromptExample> examples =
        List.of(new PromptExample("a \"quoted\"\nprompt", "é漢"), new PromptExample("1=", "1"));
    Path file = directory.resolve("prompts.jsonl");
    PromptFile.write(file, examples);
    assertThat(PromptFile.read(file)).isEqualTo(examples);
  }

  @Test
  void readPassesOverBlankLinesAndOtherFields() throws IOException {
    Path file = write("\n{\"id\":7,\"prompt\":\"p\",\"answer\":\"a\"}\n  \n" + GOOD);
    assertThat(PromptFile.read(file))
        .containsExactly(new PromptExample("p", "a"), new PromptExample("1+1=", "2"));
  }

  static Stream<Arguments> faults() {
    return Stream.of(
        Arguments.of("{\"answer\":\"2\"}", "field 'prompt'"),
        Arguments.of("{\"prompt\":\"1=\"}", "field 'answer'"),
        Arguments.of("{\"prompt\":\"1=\",\"answer\":2}", "field 'answer'"),
        Arguments.of("{\"prompt\":\"\",\"answer\":\"2\"}", "field 'prompt'"),
        Arguments.of("{\"prompt\":\"1=\",\"answer\":null}", "field 'answer'"),
        Arguments.of("[1]", "field 'prompt'"),
        Arguments.of("{\"prompt\":", "not JSON"),
        Arguments.of(GOOD + GOOD, "not JSON"),
        Arguments.of(GOOD + " rest", "not JSON"));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void readNamesFileLineAndField(String line, String fault) throws IOException {
    Path file = write(GOOD + "\n\n" + line + "\n");
    assertThatThrownBy(() -> PromptFile.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("prompts.jsonl line 3", fault);
  }

  @Test
  void readRefusesAFileWithoutPrompts() throws IOException {
    Path file = write("\n\n");
    assertThatThrownBy(() -> PromptFile.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("prompts.jsonl", "holds no prompt");
  }

  @Test
  void readNamesAFileThatIsNotThereOrNotText() throws IOException {
    Path missing = directory.resolve("missing.jsonl");
    assertThatThrownBy(() -> PromptFile.read(missing))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("missing.jsonl", "cannot be read");
    Path latin1 = directory.resolve("latin1.jsonl");
    Files.write(latin1, "{\"prompt\":\"é\"}".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> PromptFile.read(latin1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("latin1.jsonl");
  }

  private Path write(String text) throws IOException {
    return Files.writeString(directory.resolve("prompts.jsonl"), text);
  }
}
