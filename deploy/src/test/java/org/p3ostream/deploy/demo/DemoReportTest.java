package org.p3ostream.deploy.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.p3ostream.deploy.progress.LedgerFixtures.genesis;
import static org.p3ostream.deploy.progress.LedgerFixtures.step;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.p3ostream.deploy.progress.RolloutCensus;
import org.p3ostream.deploy.progress.RunStatistics;
import org.p3ostream.schemas.avro.BehaviorLogprobGap;
import org.p3ostream.schemas.avro.StepEvent;
import org.p3ostream.schemas.avro.StepMetrics;

class DemoReportTest {

  @Test
  void writeHoldsExactlyTheAgreedKeys(@TempDir Path directory) throws Exception {
    RunStatistics run = new RunStatistics();
    run.add(genesis(0));
    StepEvent step = step(0, 1, 2_000, 0.25, 0.9, 0, 576);
    StepMetrics audited =
        StepMetrics.newBuilder(step.getMetrics())
            .setBehaviorLogprobGaps(List.of(new BehaviorLogprobGap("2", 576L, 1e-7, 1e-6, 3e-6)))
            .build();
    run.add(StepEvent.newBuilder(step).setMetrics(audited).build());
    RolloutCensus census = new RolloutCensus(Map.of("1", 3L, "2", 5L), 600);
    Path file = directory.resolve("report.json");

    DemoReport.of(run, census, 0.3, 0.9, 12.5).write(file);

    JsonNode report = new ObjectMapper().readTree(file.toFile());
    assertThat(report.fieldNames())
        .toIterable()
        .containsExactly(
            "steps",
            "rewardFirst10",
            "rewardLast10",
            "evalRewardBefore",
            "evalRewardAfter",
            "essMin",
            "essMean",
            "stalenessMin",
            "stalenessMean",
            "stalenessMax",
            "lagWindowsMax",
            "policyVersion",
            "rolloutGroups",
            "weightsSha256",
            "wallSeconds",
            "trainSeconds",
            "learnerStarts",
            "generatedTokensPerSecond",
            "trainedTokensPerSecond",
            "groupsByProducer",
            "phases",
            "audit");
    assertThat(report.get("rolloutGroups").asLong()).isEqualTo(8);
    assertThat(report.get("trainedTokensPerSecond").asDouble()).isEqualTo(288);
    assertThat(report.get("generatedTokensPerSecond").asDouble()).isEqualTo(300);
    assertThat(report.get("groupsByProducer").get("2").asLong()).isEqualTo(5);
    assertThat(report.at("/audit/0/producerId").asText()).isEqualTo("2");
    assertThat(report.at("/audit/0/max").asDouble()).isEqualTo(3e-6);
  }

  @Test
  void rewardStepsDoNotOverlapInShortRuns() {
    assertThat(DemoReport.rewardSteps(1)).isEqualTo(1);
    assertThat(DemoReport.rewardSteps(5)).isEqualTo(2);
    assertThat(DemoReport.rewardSteps(19)).isEqualTo(9);
    assertThat(DemoReport.rewardSteps(150)).isEqualTo(10);
  }
}
