package org.p3ostream.schemas.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.schemas.avro.RejectionReason;

/** The page on operations tells every reason that a dead letter can give. */
class RejectionReasonsPageTest {

  private static final Path PAGE = Path.of("../docs/operations.md");

  @Test
  void pageHasOneRowPerReasonInTheirOrder() throws IOException {
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.matches("\\| `[A-Z_]+` \\| .+ \\| (yes|no).* \\|"))
            .map(line -> line.split("`")[1])
            .toList();

    assertThat(rows)
        .isEqualTo(
            Arrays.stream(RejectionReason.values())
                .filter(reason -> reason != RejectionReason.UNSPECIFIED)
                .map(RejectionReason::name)
                .toList());
  }
}
