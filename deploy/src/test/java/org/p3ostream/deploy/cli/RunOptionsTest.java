package org.p3ostream.deploy.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.cli.RunOptions.OpenRun;
import org.p3ostream.deploy.config.ConfigException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class RunOptionsTest {

  private final Reads reads = new Reads();
  private final List<String> notices = new ArrayList<>();

  @Command(name = "reads")
  private static final class Reads {
    @Mixin private RunOptions options = new RunOptions();
  }

  @Test
  void openLoadsTheConfigurationWhenThereIsNoDirectory() {
    new CommandLine(reads).parseArgs("--set", "run.id=mine");
    try (OpenRun run = reads.options.open(notices::add)) {
      assertThat(run.config().run().id()).isEqualTo("mine");
    }
    assertThat(notices).isEmpty();
  }

  @Test
  void openRefusesADirectoryBesideAConfiguration() {
    new CommandLine(reads).parseArgs("--config", "run.yaml", "--work-dir", "run1");
    assertThatThrownBy(() -> reads.options.open(notices::add))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("--work-dir: cannot stand beside --config");
  }

  @Test
  void openRefusesADirectoryWithoutARun() {
    new CommandLine(reads).parseArgs("--work-dir", "nowhere");
    assertThatThrownBy(() -> reads.options.open(notices::add))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("nowhere holds no run of p3o demo");
  }
}
