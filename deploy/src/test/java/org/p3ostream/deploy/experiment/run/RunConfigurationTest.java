package org.p3ostream.deploy.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.config.ConfigLoader;
import org.p3ostream.deploy.config.P3oConfig;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.PlannedRun;
import org.p3ostream.deploy.experiment.plan.Plans;

class RunConfigurationTest {

  private final ExperimentPlan plan = Plans.study();
  private final PlannedRun run = plan.runs().get(4); // lag2_p3o_1

  @Test
  void requireSoundNamesEveryProblemOnceWithARunThatHasIt() {
    ExperimentPlan wrong = Plans.study("dispatch.maxStaleness: 2", "learner.holdBack: 2");
    assertThat(
            catchThrowableOfType(ConfigException.class, () -> RunConfiguration.requireSound(wrong))
                .problems())
        .singleElement()
        .asString()
        .startsWith("plan study, lag 2 × GRPO × seed 1: learner.holdBack: unknown key");
    RunConfiguration.requireSound(plan);
  }

  @Test
  void everyRunHasAHashOfItsOwn() {
    Set<String> hashes = new HashSet<>();
    plan.runs().forEach(one -> hashes.add(RunConfiguration.hash(plan, one, "warm")));
    assertThat(hashes).hasSize(plan.runs().size());
  }

  @Test
  void hashIsOfAllThatTheResultDependsOnAndOfNothingElse() {
    String hash = RunConfiguration.hash(plan, run, "warm");
    assertThat(hash).matches("[0-9a-f]{64}");
    assertThat(RunConfiguration.hash(plan, run, "other")).isNotEqualTo(hash);
    assertThat(hashWith("steps: 30", "steps: 31")).isNotEqualTo(hash);
    assertThat(hashWith("prompts: 16", "prompts: 17")).isNotEqualTo(hash);
    assertThat(hashWith("1e-3", "2e-3")).isNotEqualTo(hash);
    assertThat(hashWith("1e-3", "0.001")).isEqualTo(hash);
    assertThat(hashWith("title: A study", "title: Another")).isEqualTo(hash);
    assertThat(hashWith("rewardMargin: 0.1", "rewardMargin: 0.2")).isEqualTo(hash);
  }

  private String hashWith(String old, String other) {
    ExperimentPlan changed = Plans.study(old, other);
    return RunConfiguration.hash(changed, changed.runs().get(4), "warm");
  }

  @Test
  void configurationForLaterReadingHasThePlacesOfTheRun() throws Exception {
    ExperimentDirectory directory = new ExperimentDirectory(Path.of("/experiment"));
    PreparedStart start = new PreparedStart("hash", Path.of("/warm"), 0.3, "sha");
    String yaml =
        RunConfiguration.forLaterReading(plan, run, "study.lag2_p3o_1.1.", directory, start);
    Path file = Files.createTempFile("p3o", ".yaml");
    Files.writeString(file, yaml);
    P3oConfig config = ConfigLoader.load(file, List.of());
    Files.delete(file);
    assertThat(config.run().id()).isEqualTo("lag2_p3o_1");
    assertThat(config.run().topicPrefix()).isEqualTo("study.lag2_p3o_1.1.");
    assertThat(config.bootstrapServers()).isEqualTo("127.0.0.1:9092");
    assertThat(config.model().directory()).isEqualTo("/warm/model");
    assertThat(config.prompts().file()).isEqualTo("/warm/prompts.jsonl");
    assertThat(config.learner().steps()).isEqualTo(30);
  }
}
