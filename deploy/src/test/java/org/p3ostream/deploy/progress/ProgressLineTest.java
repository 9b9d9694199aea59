package org.p3ostream.deploy.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.deploy.progress.LedgerFixtures.genesis;
import static org.p3ostream.deploy.progress.LedgerFixtures.step;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

  private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(shown, true, StandardCharsets.UTF_8);

  @Test
  void showTellsRewardEssCapStalenessSpeedAndTimeLeft() {
    RunStatistics run = new RunStatistics();
    run.add(genesis(0));
    run.add(step(0, 1, 2_000, 0.25, 0.9, 0, 576));
    new ProgressLine(out, false, 31).show(run);
    assertThat(text())
        .isEqualTo(
            "step 1/31  reward 0.250  ESS 0.900  cap 0.900  staleness 0.0  288 tokens/s"
                + "  1:00 left\n");
  }

  @Test
  void showPrintsEveryTenStepsWithoutATerminal() {
    showSteps(new ProgressLine(out, false, 30), 30);
    assertThat(text().lines().map(line -> line.substring(5, line.indexOf("  "))).toList())
        .containsExactly("1/30", "10/30", "20/30", "30/30");
  }

  @Test
  void showRewritesTheLineOnATerminal() {
    ProgressLine line = new ProgressLine(out, true, 3);
    showSteps(line, 3);
    line.end();
    assertThat(text()).doesNotContain("\r\r").endsWith("left\n");
    assertThat(text().chars().filter(c -> c == '\r').count()).isEqualTo(3);
    assertThat(text().lines().count()).isEqualTo(4); // a carriage return also ends a line
  }

  private static void showSteps(ProgressLine line, int steps) {
    RunStatistics run = new RunStatistics();
    run.add(genesis(0));
    line.show(run);
    for (int i = 0; i < steps; i++) {
      run.add(step(i, i + 1, i, 0, 1, 0, 1));
      line.show(run);
      line.show(run); // nothing new, nothing shown
    }
  }

  private String text() {
    return shown.toString(StandardCharsets.UTF_8);
  }
}
