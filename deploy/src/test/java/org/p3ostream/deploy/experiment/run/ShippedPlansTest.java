package org.p3ostream.deploy.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.p3ostream.deploy.config.ConfigException;
import org.p3ostream.deploy.experiment.plan.ExperimentPlan;
import org.p3ostream.deploy.experiment.plan.Plans;

class ShippedPlansTest {

  static List<String> names() {
    return ShippedPlans.names();
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyPlanIsSoundAndNamedLikeItself(String name) {
    ExperimentPlan plan = ShippedPlans.find(name).plan();
    assertThat(plan.name()).isEqualTo(name);
    assertThat(plan.title()).isNotBlank();
    assertThat(plan.question()).isNotBlank();
    assertThatCode(() -> RunConfiguration.requireSound(plan)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @CsvSource({
    "smoke, 4",
    "mismatch, 150",
    "mismatch-sort8, 45",
    "mismatch-hot, 45",
    "clip-sensitivity, 48",
    "ablation, 108",
    "denominator, 81",
    "lag-sweep, 90"
  })
  void everyPlanHasItsRuns(String name, int runs) {
    assertThat(ShippedPlans.find(name).plan().runs()).hasSize(runs);
    assertThat(ShippedPlans.find(name).yaml().lines().findFirst().orElseThrow())
        .matches(name.equals("smoke") ? "# .*" : "# .* = " + runs + " runs\\.");
  }

  @Test
  void findTakesAFile(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("mine.yaml"), Plans.YAML);
    assertThat(ShippedPlans.find(file.toString()).plan()).isEqualTo(Plans.study());
    assertThat(ShippedPlans.find(file.toString()).yaml()).isEqualTo(Plans.YAML);
  }

  @Test
  void findNamesThePlansThereAre() {
    assertThatThrownBy(() -> ShippedPlans.find("mismatsch"))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("--plan: 'mismatsch' must be a file or one of smoke, mismatch,");
  }
}
