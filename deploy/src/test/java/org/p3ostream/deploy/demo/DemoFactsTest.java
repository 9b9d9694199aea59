package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.p3ostream.deploy.progress.LedgerFixtures.genesis;
import static org.p3ostream.deploy.progress.LedgerFixtures.step;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.progress.RolloutCensus;
import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.deploy.report.Fact;
import org.p3ostream.deploy.report.RunReport;
import org.p3ostream.deploy.report.StepSeries;
import org.p3ostream.deploy.workdirectory.WorkDirectory;
import org.p3ostream.learner.task.SyntheticTask;

class DemoFactsTest {

  @TempDir private Path directory;
  private final RunStatistics run = new RunStatistics();

  DemoFactsTest() {
    run.add(genesis(0));
    run.add(step(0, 1, 2_000, 0.25, 0.9, 0, 576));
  }

  @Test
  void ofTellsWhatTheRunWasAndWhatItCameTo() throws Exception {
    Files.createDirectories(directory.resolve("model"));
    Files.writeString(
        directory.resolve("model/config.json"),
        "{\"model_type\":\"qwen3\",\"num_hidden_layers\":2,\"hidden_size\":64,\"vocab_size\":16}");
    DemoReport report =
        DemoReport.of(run, new RolloutCensus(Map.of("1", 8L), 600), 0.26, 0.96, 12.5);

    RunReport told = facts("demo", "--work-dir", "my dir").of(report, 99_712);

    assertThat(told.warning()).isNull();
    assertThat(told.figures())
        .extracting(Fact::value)
        .contains("0.260 → 0.960", "0.250 → 0.250", "288");
    assertThat(told.facts())
        .extracting(Fact::name, Fact::value)
        .contains(
            tuple("command line", "./p3o demo --work-dir 'my dir'"),
            tuple("steps", "1, policy version 1"),
            tuple("seed", "42"),
            tuple("task", "csum8"),
            tuple("weights SHA-256", "sha-1"),
            tuple("model", "qwen3, 99,712 parameters, 2 layers, width 64, vocabulary 16"));
  }

  @Test
  void ofUnfinishedSaysHowFarItCameAndWhy() {
    RunReport told = facts("demo").ofUnfinished(run, "learner ended\nlog", 3);

    assertThat(told.warning()).isEqualTo("The run ended after 1 of 150 steps: learner ended");
    assertThat(told.facts())
        .extracting(Fact::name, Fact::value)
        .contains(tuple("weights SHA-256", "sha-1"));
  }

  private DemoFacts facts(String... arguments) {
    DemoOptions options =
        new DemoOptions(
            150,
            42,
            "p3o",
            1.0,
            "float32",
            1,
            1,
            1,
            0,
            SyntheticTask.CSUM8,
            null,
            null,
            false,
            null,
            0,
            List.of(arguments),
            List.of(),
            false,
            Set.of());
    return new DemoFacts(
        options, new WorkDirectory(directory, true), DemoFactsTest.class, new StepSeries());
  }
}
